/* The host operations of xfjit as C over vectors of LANES lanes; crates/testing/examples/peers.rs writes functions of them. */
#ifndef LANES_H
#define LANES_H

#include <stdint.h>

#define VECTOR(type) __attribute__((vector_size(LANES * sizeof(type)))) type
typedef VECTOR(uint32_t) U;
typedef VECTOR(int32_t) S;
typedef VECTOR(float) F;
typedef VECTOR(int64_t) L;
typedef VECTOR(uint64_t) W;
typedef VECTOR(double) D;
typedef __attribute__((vector_size(16))) uint32_t Row;

#define EACH(lane) for (int lane = 0; lane < LANES; ++lane)
#define LIT(bits) ((U){0} + (uint32_t)(bits))
#define SPREAD(word) LIT(word)

#define CHOOSE(mask, a, b) (((U)(mask) & (a)) | (~(U)(mask) & (b)))

static inline U mulshr(U a, U b, int count) {
    return (U)__builtin_convertvector((__builtin_convertvector((S)a, L) * __builtin_convertvector((S)b, L)) >> count, S);
}

static inline U swap(U a) {
    return a << 24 | (a & 0xff00) << 8 | (a >> 8 & 0xff00) | a >> 24;
}

static inline U fsqrt(U a) {
    F x = (F)a, y;
    EACH(lane) y[lane] = __builtin_sqrtf(x[lane]);
    return (U)y;
}

static inline U ffloor(U a) {
    F x = (F)a, y;
    EACH(lane) y[lane] = __builtin_floorf(x[lane]);
    return (U)y;
}

static inline U fma1(U a, U b, U c) {
    F x = (F)a, y = (F)b, z = (F)c, sum;
    EACH(lane) sum[lane] = __builtin_fmaf(x[lane], y[lane], z[lane]);
    return (U)sum;
}

static inline D dfma(D x, D y, D z) {
    D sum;
    EACH(lane) sum[lane] = __builtin_fma(x[lane], y[lane], z[lane]);
    return sum;
}

static inline D promote(U a) {
    return __builtin_convertvector((F)a, D);
}

static inline U dlow(D a) {
    return __builtin_convertvector((W)a, U);
}

/* An entry of a column of a table for each lane, or a component of rows. */
static inline U look_up(const uint32_t *entries, int stride, U at) {
    U found;
    EACH(lane) found[lane] = entries[stride * at[lane]];
    return found;
}

/* Of four lanes, and of each further four likewise: those of a are 0 to 3, those of b 4 to 7. */
#define AT(lane, four) ((lane) < 4 ? (lane) + 4 * (four) : (lane) - 4 + LANES + 4 * (four))
#define FOUR(i, j, k, l, four) AT(i, four), AT(j, four), AT(k, four), AT(l, four)
#if LANES == 4
#define PICK(a, b, i, j, k, l) __builtin_shufflevector(a, b, FOUR(i, j, k, l, 0))
#define JOIN(at) row(at)
#elif LANES == 8
#define PICK(a, b, i, j, k, l) __builtin_shufflevector(a, b, FOUR(i, j, k, l, 0), FOUR(i, j, k, l, 1))
#define JOIN(at) __builtin_shufflevector(row(at), row((at) + 4), 0, 1, 2, 3, 4, 5, 6, 7)
#else
#define PICK(a, b, i, j, k, l) \
    __builtin_shufflevector(a, b, FOUR(i, j, k, l, 0), FOUR(i, j, k, l, 1), FOUR(i, j, k, l, 2), FOUR(i, j, k, l, 3))
#define PAIR(at) __builtin_shufflevector(row(at), row((at) + 4), 0, 1, 2, 3, 4, 5, 6, 7)
#define JOIN(at) __builtin_shufflevector(PAIR(at), PAIR((at) + 8), 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
#endif

/* Rows and columns of each four by four words change places. */
static inline void transpose(U *a, U *b, U *c, U *d) {
    U low = PICK(*a, *b, 0, 4, 1, 5), high = PICK(*a, *b, 2, 6, 3, 7);
    U low2 = PICK(*c, *d, 0, 4, 1, 5), high2 = PICK(*c, *d, 2, 6, 3, 7);
    *a = PICK(low, low2, 0, 1, 4, 5);
    *b = PICK(low, low2, 2, 3, 6, 7);
    *c = PICK(high, high2, 0, 1, 4, 5);
    *d = PICK(high, high2, 2, 3, 6, 7);
}

/* Four components of LANES vertices, from rows that are a stride of words apart, and back. */
static inline void load_rows(const uint32_t *words, int stride, U *x, U *y, U *z, U *w) {
#define row(at) (*(const Row *)(words + (at) * stride))
    *x = JOIN(0), *y = JOIN(1), *z = JOIN(2), *w = JOIN(3);
#undef row
    transpose(x, y, z, w);
}

static inline void store_rows(uint32_t *words, int stride, U x, U y, U z, U w) {
    transpose(&x, &y, &z, &w);
    U columns[] = {x, y, z, w};
    for (int lane = 0; lane < LANES; ++lane) {
        Row out;
        __builtin_memcpy(&out, (const char *)&columns[lane % 4] + 16 * (lane / 4), 16);
        *(Row *)(words + lane * stride) = out;
    }
}

static inline int any(U mask) {
    uint32_t all = 0;
    EACH(lane) all |= mask[lane];
    return all != 0;
}

#endif
