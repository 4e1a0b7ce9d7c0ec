// xfjit.hpp: xfjit.h for C++17. Handles that end by themselves, statuses as exceptions; nothing else: pass them to functions
// of xfjit.h with get().
//
// License: MIT or Apache-2.0, at your choice.
#ifndef XFJIT_HPP
#define XFJIT_HPP

#include "xfjit.h"

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

namespace xfjit {

// A call that was refused: its status, and the library's sentence about it.
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

// Throws what was not done.
inline void check(xfjit_status status) {
    if (status != XFJIT_OK) throw Error(status);
}

namespace detail {
struct End {
    void operator()(xfjit_engine *engine) const noexcept { xfjit_engine_destroy(engine); }
    void operator()(xfjit_worker *worker) const noexcept { xfjit_worker_destroy(worker); }
    void operator()(xfjit_unit *unit) const noexcept { xfjit_unit_destroy(unit); }
};
}

// A configuration as xfjit_config_init makes it.
inline xfjit_config config(uint32_t generation) {
    xfjit_config made{};
    made.size = sizeof made;
    check(xfjit_config_init(&made, generation));
    return made;
}

// A configuration as xfjit_config_like makes it.
inline xfjit_config config_like(uint32_t emulator, uint32_t generation) {
    xfjit_config made{};
    made.size = sizeof made;
    check(xfjit_config_like(&made, emulator, generation));
    return made;
}

// A counted program; copies are of the same one.
class Program {
public:
    Program() noexcept = default;
    // Takes over a use that the caller has counted.
    static Program adopt(const xfjit_program *program) noexcept { return Program(program); }
    // Counts one more.
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

// One for each thread.
class Worker {
public:
    explicit Worker(const Engine &engine) {
        xfjit_worker *made = nullptr;
        check(xfjit_worker_create(engine.get(), &made));
        worker_.reset(made);
    }
    // Found by its words; valid until the next call, unless shared.
    const xfjit_program *find(const void *slots, size_t count, size_t start, const xfjit_config &config, size_t stride = 16) {
        const xfjit_program *found = nullptr;
        check(xfjit_worker_program(worker_.get(), slots, stride, count, start, &config, &found));
        return found;
    }
    xfjit_outcome run(const Program &program, xfjit_batch batch) {
        xfjit_outcome outcome{};
        outcome.size = sizeof outcome;
        batch.size = sizeof batch;
        check(xfjit_run(program.get(), worker_.get(), &batch, &outcome));
        return outcome;
    }
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

}

#endif
