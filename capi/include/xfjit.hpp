// xfjit.hpp: a thin C++17 layer over xfjit.h. It destroys handles automatically and throws errors as exceptions. It adds
// nothing else: pass handles to functions of xfjit.h with get().
//
// License: MIT or Apache-2.0, at your choice.
#ifndef XFJIT_HPP
#define XFJIT_HPP

#include "xfjit.h"

#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace xfjit {

// The error of a failed call: its status, and the library's description.
class Error : public std::runtime_error {
public:
    explicit Error(xfjit_status status) : std::runtime_error(sentence(status)), status_(status) {}
    xfjit_status status() const noexcept { return status_; }

private:
    static std::string sentence(xfjit_status status) {
        std::string text(xfjit_last_error(nullptr, 0) + 1, '\0');
        text.resize(xfjit_last_error(&text[0], text.size()));
        return text.empty() ? xfjit_status_string(status) : text;
    }
    xfjit_status status_;
};

// Throws an Error unless the status is XFJIT_OK.
inline void check(xfjit_status status) {
    if (status != XFJIT_OK) throw Error(status);
}

namespace detail {
struct End {
    void operator()(xfjit_engine *engine) const noexcept { xfjit_engine_destroy(engine); }
    void operator()(xfjit_worker *worker) const noexcept { xfjit_worker_destroy(worker); }
    void operator()(xfjit_unit *unit) const noexcept { xfjit_unit_destroy(unit); }
    void operator()(xfjit_flipper *flipper) const noexcept { xfjit_flipper_destroy(flipper); }
};
}

// Returns a configuration from xfjit_config_init.
inline xfjit_config config(uint32_t generation) {
    xfjit_config made{};
    made.size = sizeof made;
    check(xfjit_config_init(&made, generation));
    return made;
}

// Returns a configuration from xfjit_config_like.
inline xfjit_config config_like(uint32_t emulator, uint32_t generation) {
    xfjit_config made{};
    made.size = sizeof made;
    check(xfjit_config_like(&made, emulator, generation));
    return made;
}

// Returns options of Flipper from xfjit_flipper_options_init.
inline xfjit_flipper_options flipper_options(uint32_t dialect, uint32_t console = XFJIT_GAMECUBE) {
    xfjit_flipper_options made{};
    made.size = sizeof made;
    check(xfjit_flipper_options_init(&made, dialect));
    made.console = console;
    return made;
}

// Describes a guest's memory, for the duration of a call.
inline xfjit_flipper_memory flipper_memory(const void *first, size_t first_bytes, const void *second = nullptr, size_t second_bytes = 0) {
    return {sizeof(xfjit_flipper_memory), 0, first, first_bytes, second, second_bytes};
}

// A reference-counted program. Copies refer to the same program.
class Program {
public:
    Program() noexcept = default;
    // Takes over a reference that the caller owns.
    static Program adopt(const xfjit_program *program) noexcept { return Program(program); }
    // Adds a reference.
    static Program share(const xfjit_program *program) {
        check(xfjit_program_ref(program));
        return Program(program);
    }
    Program(const Program &other) : program_(other.program_) {
        if (program_) check(xfjit_program_ref(program_));
    }
    Program(Program &&other) noexcept : program_(std::exchange(other.program_, nullptr)) {}
    Program &operator=(Program other) noexcept {
        std::swap(program_, other.program_);
        return *this;
    }
    ~Program() { xfjit_program_unref(program_); }

    const xfjit_program *get() const noexcept { return program_; }
    explicit operator bool() const noexcept { return program_ != nullptr; }
    xfjit_info info() const {
        xfjit_info told{};
        told.size = sizeof told;
        check(xfjit_program_info(program_, &told));
        return told;
    }
    // Labels the program for profiles and captures; an empty text removes the label.
    void set_label(const std::string &label) const { check(xfjit_program_set_label(program_, label.c_str())); }

private:
    explicit Program(const xfjit_program *program) noexcept : program_(program) {}
    const xfjit_program *program_ = nullptr;
};

class Engine {
public:
    explicit Engine(xfjit_options options = {}) {
        options.size = sizeof options;
        xfjit_engine *made = nullptr;
        check(xfjit_engine_create(&options, &made));
        engine_.reset(made);
    }
    Program program(const void *slots, size_t count, size_t start, const xfjit_config &config, size_t stride = 16) const {
        const xfjit_program *made = nullptr;
        check(xfjit_program_get(engine_.get(), slots, stride, count, start, &config, &made));
        return Program::adopt(made);
    }
    xfjit_engine *get() const noexcept { return engine_.get(); }

private:
    std::unique_ptr<xfjit_engine, detail::End> engine_;
};

// Make one worker for each thread.
class Worker {
public:
    explicit Worker(const Engine &engine) {
        xfjit_worker *made = nullptr;
        check(xfjit_worker_create(engine.get(), &made));
        worker_.reset(made);
    }
    // Finds a program by its words. `run` takes it as it is. It is valid until the next call of `find`;
    // Program::share keeps it longer.
    const xfjit_program *find(const void *slots, size_t count, size_t start, const xfjit_config &config, size_t stride = 16) {
        const xfjit_program *found = nullptr;
        check(xfjit_worker_program(worker_.get(), slots, stride, count, start, &config, &found));
        return found;
    }
    xfjit_outcome run(const xfjit_program *program, xfjit_batch batch) {
        xfjit_outcome outcome{};
        outcome.size = sizeof outcome;
        batch.size = sizeof batch;
        check(xfjit_run(program, worker_.get(), &batch, &outcome));
        return outcome;
    }
    xfjit_outcome run(const Program &program, xfjit_batch batch) { return run(program.get(), batch); }
    xfjit_worker *get() const noexcept { return worker_.get(); }

private:
    std::unique_ptr<xfjit_worker, detail::End> worker_;
};

class Unit {
public:
    Unit(const Engine &engine, uint32_t chip, const xfjit_config *config = nullptr) {
        xfjit_unit *made = nullptr;
        check(xfjit_unit_create(engine.get(), chip, config, &made));
        unit_.reset(made);
    }
    xfjit_unit *get() const noexcept { return unit_.get(); }

private:
    std::unique_ptr<xfjit_unit, detail::End> unit_;
};

// The elements of a layout, as an array.
struct Layout {
    const xfjit_flipper_element *elements = nullptr;
    size_t count = 0;

    Layout() = default;
    Layout(const xfjit_flipper_element *elements, size_t count) : elements(elements), count(count) {}
    template <size_t N> Layout(const xfjit_flipper_element (&elements)[N]) : elements(elements), count(N) {}
    template <class Container> Layout(const Container &elements) : elements(elements.data()), count(elements.size()) {}
};

// A single drawing command: its byte, its vertices, and the memory that their indices refer to.
struct Draw {
    uint32_t opcode;
    uint32_t count;
    const void *bytes;
    size_t size;
    const xfjit_flipper_memory *memory;
};

// Flipper as a device. A function object receives each output as a `const xfjit_flipper_output &`. If it throws, it receives no
// further output; the exception is rethrown after the library has returned.
class Flipper {
public:
    explicit Flipper(const Engine &engine, const xfjit_flipper_options *options = nullptr) {
        xfjit_flipper *made = nullptr;
        check(xfjit_flipper_create(engine.get(), options, &made));
        flipper_.reset(made);
    }
    void set_layout(Layout layout, bool triangles = false) {
        check(xfjit_flipper_set_layout(get(), layout.elements, sizeof *layout.elements, layout.count, triangles));
    }
    void load_cp(uint32_t number, uint32_t value) { check(xfjit_flipper_load_cp(get(), number, value)); }
    uint32_t read_cp(uint32_t number) {
        uint32_t value = 0;
        check(xfjit_flipper_read_cp(get(), number, &value));
        return value;
    }
    void load_xf(uint32_t first, const uint32_t *words, size_t count) { check(xfjit_flipper_load_xf(get(), first, words, count)); }
    void read_xf(uint32_t first, uint32_t *words, size_t count) { check(xfjit_flipper_read_xf(get(), first, words, count)); }

    template <class Take>
    xfjit_flipper_progress run(const void *bytes, size_t size, const xfjit_flipper_memory *memory, Take &&take, uint64_t budget = 0) {
        xfjit_flipper_progress progress{};
        progress.size = sizeof progress;
        Taking<Take> taking(take);
        taking.end(xfjit_flipper_run(get(), bytes, size, memory, budget, taking.call, &taking, &progress));
        return progress;
    }
    // Stores to the write-gather line, or sends a block of 32 bytes. Rings are in `memory`.
    void store(uint64_t value, uint32_t bytes, void *memory, size_t size) { check(xfjit_flipper_store(get(), value, bytes, memory, size)); }
    void burst(const void *block, void *memory, size_t size) { check(xfjit_flipper_burst(get(), block, memory, size)); }
    void write_gather(uint32_t address) { check(xfjit_flipper_write_gather(get(), address)); }
    uint32_t read_gather(uint32_t *held = nullptr) {
        uint32_t address = 0;
        check(xfjit_flipper_read_gather(get(), &address, held));
        return address;
    }
    void write_pi(uint32_t offset, uint32_t value) { check(xfjit_flipper_write_pi(get(), offset, value)); }
    uint32_t read_pi(uint32_t offset) {
        uint32_t value = 0;
        check(xfjit_flipper_read_pi(get(), offset, &value));
        return value;
    }
    void write_port(uint32_t offset, uint32_t value) { check(xfjit_flipper_write_port(get(), offset, value)); }
    uint32_t read_port(uint32_t offset) {
        uint32_t value = 0;
        check(xfjit_flipper_read_port(get(), offset, &value));
        return value;
    }
    bool interrupt() {
        int32_t raised = 0;
        check(xfjit_flipper_interrupt(get(), &raised));
        return raised != 0;
    }
    template <class Take>
    xfjit_flipper_progress run_fifo(const xfjit_flipper_memory *memory, Take &&take, uint64_t budget = 0) {
        xfjit_flipper_progress progress{};
        progress.size = sizeof progress;
        Taking<Take> taking(take);
        taking.end(xfjit_flipper_run_fifo(get(), memory, budget, taking.call, &taking, &progress));
        return progress;
    }
    // The unit keeps the flag. With a null pointer it watches none.
    void set_cancel(const xfjit_cancel *cancel) { check(xfjit_flipper_set_cancel(get(), cancel)); }
    template <class Take> void draw(const Draw &draw, Take &&take) {
        Taking<Take> taking(take);
        taking.end(xfjit_flipper_draw(get(), draw.opcode, draw.count, draw.bytes, draw.size, draw.memory, taking.call, &taking));
    }
    size_t vertex_size(uint32_t opcode) { return xfjit_flipper_vertex_size(get(), opcode); }
    // Returns the number of vertices stored.
    uint32_t fetch(const Draw &draw, Layout layout, void *data, size_t data_size) {
        uint32_t stored = 0;
        check(xfjit_flipper_fetch(get(), draw.opcode, draw.count, draw.bytes, draw.size, draw.memory, layout.elements,
            sizeof *layout.elements, layout.count, data, data_size, &stored));
        return stored;
    }
    void transform(xfjit_batch batch, uint32_t matrices, Layout layout, void *data, size_t data_size) {
        batch.size = sizeof batch;
        batch.attribute_size = sizeof *batch.attributes;
        check(xfjit_flipper_transform(get(), &batch, matrices, layout.elements, sizeof *layout.elements, layout.count, data, data_size));
    }
    bool culled(const Draw &draw, uint32_t faces = 0) {
        int32_t culled = 0;
        check(xfjit_flipper_culled(get(), draw.opcode, draw.count, draw.bytes, draw.size, draw.memory, faces, &culled));
        return culled != 0;
    }
    std::vector<unsigned char> save() {
        std::vector<unsigned char> state(xfjit_flipper_save(get(), nullptr, 0));
        if (state.empty() || xfjit_flipper_save(get(), state.data(), state.size()) != state.size()) throw Error(XFJIT_E_STATE);
        return state;
    }
    void load(const void *state, size_t size) { check(xfjit_flipper_load(get(), state, size)); }
    xfjit_flipper *get() const noexcept { return flipper_.get(); }

private:
    // Holds an exception until the library has returned, so that none passes through it.
    template <class Take> struct Taking {
        explicit Taking(Take &take) : take(take) {}
        static void call(void *user, const xfjit_flipper_output *output) {
            Taking &taking = *static_cast<Taking *>(user);
            if (taking.thrown) return;
            try {
                taking.take(*output);
            } catch (...) {
                taking.thrown = std::current_exception();
            }
        }
        void end(xfjit_status status) {
            if (thrown) std::rethrow_exception(thrown);
            check(status);
        }
        Take &take;
        std::exception_ptr thrown;
    };
    std::unique_ptr<xfjit_flipper, detail::End> flipper_;
};

}

#endif
