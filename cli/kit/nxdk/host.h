/* What kit.c uses of nxdk, declared for another machine: with XFJIT_KIT_HOST defined the file compiles anywhere, and whoever links it
 * decides what these functions do. cli/tests/kit/ has them drive the library's own model of the chip. */
#ifndef XFJIT_KIT_HOST_H
#define XFJIT_KIT_HOST_H

#include <stdint.h>

#ifndef RESULTS
#define RESULTS "xfjit_kit.txt"
#endif
#define REFRESH_DEFAULT 0

/* pbkit: starts, and returns 0 if that went well. */
int pb_init(void);
void pb_kill(void);
void pb_show_debug_screen(void);
/* Where the next block of methods begins; a method with its value; the end of the block, which is sent. */
uint32_t *pb_begin(void);
uint32_t *pb_push1(uint32_t *p, uint32_t method, uint32_t value);
void pb_end(uint32_t *end);
/* Whether methods wait, and a wait until nothing runs. */
int pb_busy(void);
void pb_wait_until_gr_not_busy(void);

int XVideoSetMode(int width, int height, int bits, int refresh);
int nxMountDrive(char letter, const char *path);
void debugPrint(const char *format, ...);
void Sleep(unsigned milliseconds);

/* Registers of the graphics unit. */
void kit_write(uint32_t offset, uint32_t value);
uint32_t kit_read(uint32_t offset);
#define KIT_WRITE(offset, value) kit_write((offset), (value))
#define KIT_READ(offset) kit_read(offset)

#ifdef XFJIT_KIT_DRAW
void kit_prepare(void);
uint32_t kit_pixel(unsigned x, unsigned y);
#endif

#endif
