// What `pack` has made: base64 of deflated JSON (RFC 1951). Browsers have a stream for it, which answers later; this answers at once.
function unpack(text) {
  return JSON.parse(new TextDecoder().decode(inflate(Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)))));
}

function inflate(bytes) {
  let out = new Uint8Array(bytes.length * 8);
  let length = 0;
  let at = 0;
  let held = 0;
  let count = 0;
  const bits = (wanted) => {
    while (count < wanted) { held |= bytes[at++] << count; count += 8; }
    const value = held & ((1 << wanted) - 1);
    held >>>= wanted;
    count -= wanted;
    return value;
  };
  const put = (byte) => {
    if (length === out.length) { const more = new Uint8Array(2 * length); more.set(out); out = more; }
    out[length++] = byte;
  };
  // A code: how many symbols have each length, and the symbols in order.
  const code = (lengths) => {
    const counts = new Uint16Array(16);
    for (const size of lengths) counts[size] += 1;
    counts[0] = 0;
    const starts = new Uint16Array(17);
    for (let size = 1; size < 16; size++) starts[size + 1] = starts[size] + counts[size];
    const symbols = [];
    lengths.forEach((size, symbol) => { if (size) symbols[starts[size]++] = symbol; });
    return { counts, symbols };
  };
  const symbol = ({ counts, symbols }) => {
    let [value, first, index] = [0, 0, 0];
    for (let size = 1; size < 16; size++) {
      value |= bits(1);
      if (value - first < counts[size]) return symbols[index + value - first];
      index += counts[size];
      first = (first + counts[size]) << 1;
      value <<= 1;
    }
    throw new Error("no such code");
  };
  const order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
  for (let last = 0; !last;) {
    last = bits(1);
    const kind = bits(2);
    if (kind === 0) {
      [held, count] = [0, 0];
      const size = bytes[at] | bytes[at + 1] << 8;
      at += 4;
      for (let byte = 0; byte < size; byte++) put(bytes[at++]);
      continue;
    }
    let lengths = [];
    let literals = 288;
    if (kind === 1) {
      for (let number = 0; number < 288; number++) lengths.push(number < 144 ? 8 : number < 256 ? 9 : number < 280 ? 7 : 8);
      for (let number = 0; number < 30; number++) lengths.push(5);
    } else {
      literals = bits(5) + 257;
      const all = literals + bits(5) + 1;
      const of = new Array(19).fill(0);
      for (let number = bits(4) + 4, next = 0; next < number; next++) of[order[next]] = bits(3);
      const inner = code(of);
      while (lengths.length < all) {
        const value = symbol(inner);
        if (value < 16) { lengths.push(value); continue; }
        const size = value === 16 ? lengths[lengths.length - 1] : 0;
        const times = value === 16 ? 3 + bits(2) : value === 17 ? 3 + bits(3) : 11 + bits(7);
        for (let time = 0; time < times; time++) lengths.push(size);
      }
    }
    const [literal, distance] = [code(lengths.slice(0, literals)), code(lengths.slice(literals))];
    for (;;) {
      let value = symbol(literal);
      if (value < 256) { put(value); continue; }
      if (value === 256) break;
      // Of lengths and distances every fourth or second one has a bit more.
      value -= 257;
      const more = value < 8 || value === 28 ? 0 : (value >> 2) - 1;
      const size = value === 28 ? 258 : value < 8 ? 3 + value : 3 + ((4 + (value & 3)) << more) + bits(more);
      const far = symbol(distance);
      const farther = far < 4 ? 0 : (far >> 1) - 1;
      const back = far < 4 ? 1 + far : 1 + ((2 + (far & 1)) << farther) + bits(farther);
      for (let byte = 0; byte < size; byte++) put(out[length - back]);
    }
  }
  return out.subarray(0, length);
}
