/* ioctl_table.c: the ioctl numbers that don't say what they do.
 *
 * A kind tells how the kernel uses the memory at the argument. Numbers whose headers can't be included
 * together are spelled out. Whole families that let a device write memory at any time are at the end. */
#include <asm/ioctls.h>
#include <asm/termbits.h>
#include <asm/termios.h>
#include <linux/fs.h>
#include <linux/fiemap.h>
#include <linux/kd.h>
#include <linux/sockios.h>
#include <linux/vt.h>

#include "input/ioctl.h"

enum { TERMIOS = 36, TERMIOS2 = 44, TERMIO = sizeof(struct termio), WINDOW_SIZE = 8, INT = 4, LONG = 8 };
enum { IFREQ = 40, ROUTE = 120, ARP = 68, TIME = 16, WIRELESS = 32, LOOP_INFO = 168, LOOP_INFO64 = 232 };

#define COMMAND(name, kind, size) \
  { (uint32_t)(name), INPUT_EMULATE, 0, INPUT_##kind, size, #name, NULL }
#define COMMAND_WALK(name, walk) \
  { (uint32_t)(name), INPUT_EMULATE, 0, INPUT_POINTER, 0, #name, walk }
/* With memory that is compared (INPUT_COMPARED). */
#define NUMBERED_WINDOW(number, name, walk) \
  { number, INPUT_EMULATE, 0, INPUT_POINTER, COMPARED_SIZE, name, walk }
#define NUMBERED_REFUSE(number, name) \
  { number, INPUT_REFUSE, ENOTTY, INPUT_VALUE, 0, name, NULL }
#define NUMBERED(number, name, kind, size) \
  { number, INPUT_EMULATE, 0, INPUT_##kind, size, name, NULL }
#define NUMBERED_WALK(number, name, walk) \
  { number, INPUT_EMULATE, 0, INPUT_POINTER, 0, name, walk }

static const struct input_command commands[] = {
    /* Terminals. */
    COMMAND(TCGETS, OUT, TERMIOS),
    COMMAND(TCSETS, IN, TERMIOS),
    COMMAND(TCSETSW, IN, TERMIOS),
    COMMAND(TCSETSF, IN, TERMIOS),
    COMMAND(TCGETS2, OUT, TERMIOS2),
    COMMAND(TCSETS2, IN, TERMIOS2),
    COMMAND(TCSETSW2, IN, TERMIOS2),
    COMMAND(TCSETSF2, IN, TERMIOS2),
    COMMAND(TCGETA, OUT, TERMIO),
    COMMAND(TCSETA, IN, TERMIO),
    COMMAND(TCSETAW, IN, TERMIO),
    COMMAND(TCSETAF, IN, TERMIO),
    COMMAND(TIOCGLCKTRMIOS, OUT, TERMIOS),
    COMMAND(TIOCSLCKTRMIOS, IN, TERMIOS),
    COMMAND(TCSBRK, VALUE, 0),
    COMMAND(TCSBRKP, VALUE, 0),
    COMMAND(TCXONC, VALUE, 0),
    COMMAND(TCFLSH, VALUE, 0),
    COMMAND(TIOCEXCL, NONE, 0),
    COMMAND(TIOCNXCL, NONE, 0),
    COMMAND(TIOCSCTTY, VALUE, 0),
    COMMAND(TIOCNOTTY, NONE, 0),
    COMMAND(TIOCCONS, NONE, 0),
    COMMAND(TIOCVHANGUP, NONE, 0),
    COMMAND(TIOCSBRK, NONE, 0),
    COMMAND(TIOCCBRK, NONE, 0),
    COMMAND(TIOCGPGRP, OUT, INT),
    COMMAND(TIOCSPGRP, IN, INT),
    COMMAND(TIOCGSID, OUT, INT),
    COMMAND(TIOCOUTQ, OUT, INT),
    COMMAND(TIOCSTI, IN, 1),
    COMMAND(TIOCGWINSZ, OUT, WINDOW_SIZE),
    COMMAND(TIOCSWINSZ, IN, WINDOW_SIZE),
    COMMAND(TIOCMGET, OUT, INT),
    COMMAND(TIOCMSET, IN, INT),
    COMMAND(TIOCMBIS, IN, INT),
    COMMAND(TIOCMBIC, IN, INT),
    COMMAND(TIOCMIWAIT, VALUE, 0),
    COMMAND(TIOCGICOUNT, OUT, 80),
    COMMAND(TIOCGSOFTCAR, OUT, INT),
    COMMAND(TIOCSSOFTCAR, IN, INT),
    COMMAND(TIOCGSERIAL, OUT, 72),
    COMMAND(TIOCSSERIAL, IN, 72),
    COMMAND(TIOCSERGETLSR, OUT, INT),
    COMMAND(TIOCPKT, IN, INT),
    COMMAND(TIOCGETD, OUT, INT),
    COMMAND(TIOCSETD, IN, INT),
    COMMAND(TIOCGPTPEER, VALUE, 0),
    COMMAND_WALK(TIOCLINUX, ioctl_console_text),
    /* Any descriptor. */
    COMMAND(FIONREAD, OUT, INT),
    COMMAND(FIONBIO, IN, INT),
    COMMAND(FIOASYNC, IN, INT),
    COMMAND(FIONCLEX, NONE, 0),
    COMMAND(FIOCLEX, NONE, 0),
    COMMAND(FIOQSIZE, OUT, LONG),
    /* Virtual consoles. */
    COMMAND(KDGETMODE, OUT, INT),
    COMMAND(KDSETMODE, VALUE, 0),
    COMMAND(KDGKBTYPE, OUT, 1),
    COMMAND(KDGKBMODE, OUT, INT),
    COMMAND(KDSKBMODE, VALUE, 0),
    COMMAND(KDGKBMETA, OUT, INT),
    COMMAND(KDSKBMETA, VALUE, 0),
    COMMAND(KDGETLED, OUT, 1),
    COMMAND(KDSETLED, VALUE, 0),
    COMMAND(KDGKBLED, OUT, 1),
    COMMAND(KDSKBLED, VALUE, 0),
    COMMAND(KDGKBENT, INOUT, 4),
    COMMAND(KDSKBENT, IN, 4),
    COMMAND(KDMKTONE, VALUE, 0),
    COMMAND(KIOCSOUND, VALUE, 0),
    COMMAND(VT_OPENQRY, OUT, INT),
    COMMAND(VT_GETMODE, OUT, 8),
    COMMAND(VT_SETMODE, IN, 8),
    COMMAND(VT_GETSTATE, OUT, 6),
    COMMAND(VT_RELDISP, VALUE, 0),
    COMMAND(VT_ACTIVATE, VALUE, 0),
    COMMAND(VT_WAITACTIVE, VALUE, 0),
    /* Files and file systems. The numbers of the flags say long, and mean int. */
    COMMAND(FIBMAP, INOUT, INT),
    COMMAND(FIGETBSZ, OUT, INT),
    COMMAND(FICLONE, FD, 0),
    COMMAND(FS_IOC_GETFLAGS, OUT, INT),
    COMMAND(FS_IOC_SETFLAGS, IN, INT),
    COMMAND(FS_IOC_GETVERSION, OUT, INT),
    COMMAND(FS_IOC_SETVERSION, IN, INT),
    COMMAND_WALK(FS_IOC_FIEMAP, ioctl_extents),
    COMMAND_WALK(FIDEDUPERANGE, ioctl_dedupe),
    /* Block devices. */
    COMMAND(BLKROSET, IN, INT),
    COMMAND(BLKROGET, OUT, INT),
    COMMAND(BLKRRPART, NONE, 0),
    COMMAND(BLKGETSIZE, OUT, LONG),
    COMMAND(BLKFLSBUF, NONE, 0),
    COMMAND(BLKRASET, VALUE, 0),
    COMMAND(BLKRAGET, OUT, LONG),
    COMMAND(BLKFRASET, VALUE, 0),
    COMMAND(BLKFRAGET, OUT, LONG),
    COMMAND(BLKSECTSET, VALUE, 0),
    COMMAND(BLKSECTGET, OUT, 2),
    COMMAND(BLKSSZGET, OUT, INT),
    COMMAND(BLKBSZGET, OUT, INT),
    COMMAND(BLKBSZSET, IN, INT),
    COMMAND(BLKDISCARD, IN, 16),
    COMMAND(BLKSECDISCARD, IN, 16),
    COMMAND(BLKZEROOUT, IN, 16),
    COMMAND(BLKIOMIN, OUT, INT),
    COMMAND(BLKIOOPT, OUT, INT),
    COMMAND(BLKALIGNOFF, OUT, INT),
    COMMAND(BLKPBSZGET, OUT, INT),
    COMMAND(BLKDISCARDZEROES, OUT, INT),
    COMMAND(BLKROTATIONAL, OUT, 2),
    NUMBERED(0x301, "HDIO_GETGEO", OUT, 16),
    NUMBERED(0x4c00, "LOOP_SET_FD", FD, 0),
    NUMBERED(0x4c01, "LOOP_CLR_FD", NONE, 0),
    NUMBERED(0x4c02, "LOOP_SET_STATUS", IN, LOOP_INFO),
    NUMBERED(0x4c03, "LOOP_GET_STATUS", OUT, LOOP_INFO),
    NUMBERED(0x4c04, "LOOP_SET_STATUS64", IN, LOOP_INFO64),
    NUMBERED(0x4c05, "LOOP_GET_STATUS64", OUT, LOOP_INFO64),
    NUMBERED(0x4c06, "LOOP_CHANGE_FD", FD, 0),
    NUMBERED(0x4c0a, "LOOP_CONFIGURE", IN, 304),
    NUMBERED_WALK(0x2285, "SG_IO", ioctl_scsi),
    NUMBERED(0x2282, "SG_GET_VERSION_NUM", OUT, INT),
    /* Sockets and network devices. */
    COMMAND(SIOCINQ, OUT, INT),
    NUMBERED(0x8901, "FIOSETOWN", IN, INT),
    NUMBERED(0x8902, "SIOCSPGRP", IN, INT),
    NUMBERED(0x8903, "FIOGETOWN", OUT, INT),
    NUMBERED(0x8904, "SIOCGPGRP", OUT, INT),
    NUMBERED(0x8905, "SIOCATMARK", OUT, INT),
    NUMBERED(0x8906, "SIOCGSTAMP", OUT, TIME),
    NUMBERED(0x8907, "SIOCGSTAMPNS", OUT, TIME),
    COMMAND(SIOCADDRT, IN, ROUTE),
    COMMAND(SIOCDELRT, IN, ROUTE),
    COMMAND(SIOCGIFNAME, INOUT, IFREQ),
    COMMAND(SIOCSIFLINK, NONE, 0),
    COMMAND_WALK(SIOCGIFCONF, ioctl_interfaces),
    COMMAND(SIOCGIFFLAGS, INOUT, IFREQ),
    COMMAND(SIOCSIFFLAGS, INOUT, IFREQ),
    COMMAND(SIOCGIFADDR, INOUT, IFREQ),
    COMMAND(SIOCSIFADDR, INOUT, IFREQ),
    COMMAND(SIOCGIFDSTADDR, INOUT, IFREQ),
    COMMAND(SIOCSIFDSTADDR, INOUT, IFREQ),
    COMMAND(SIOCGIFBRDADDR, INOUT, IFREQ),
    COMMAND(SIOCSIFBRDADDR, INOUT, IFREQ),
    COMMAND(SIOCGIFNETMASK, INOUT, IFREQ),
    COMMAND(SIOCSIFNETMASK, INOUT, IFREQ),
    COMMAND(SIOCGIFMETRIC, INOUT, IFREQ),
    COMMAND(SIOCSIFMETRIC, INOUT, IFREQ),
    COMMAND(SIOCGIFMTU, INOUT, IFREQ),
    COMMAND(SIOCSIFMTU, INOUT, IFREQ),
    COMMAND(SIOCSIFNAME, INOUT, IFREQ),
    COMMAND(SIOCGIFHWADDR, INOUT, IFREQ),
    COMMAND(SIOCSIFHWADDR, INOUT, IFREQ),
    COMMAND(SIOCGIFSLAVE, INOUT, IFREQ),
    COMMAND(SIOCADDMULTI, INOUT, IFREQ),
    COMMAND(SIOCDELMULTI, INOUT, IFREQ),
    COMMAND(SIOCGIFINDEX, INOUT, IFREQ),
    COMMAND(SIOCGIFPFLAGS, INOUT, IFREQ),
    COMMAND(SIOCGIFTXQLEN, INOUT, IFREQ),
    COMMAND(SIOCSIFTXQLEN, INOUT, IFREQ),
    COMMAND(SIOCGIFMAP, INOUT, IFREQ),
    COMMAND(SIOCDARP, IN, ARP),
    COMMAND(SIOCGARP, INOUT, ARP),
    COMMAND(SIOCSARP, IN, ARP),
    NUMBERED_WINDOW(SIOCETHTOOL, "SIOCETHTOOL", ioctl_device_request),
    NUMBERED_WINDOW(0x8993, "SIOCBONDSLAVEINFOQUERY", ioctl_device_request),
    NUMBERED_WINDOW(0x8994, "SIOCBONDINFOQUERY", ioctl_device_request),
    NUMBERED_WINDOW(0x89b0, "SIOCSHWTSTAMP", ioctl_device_request),
    NUMBERED_WINDOW(0x89b1, "SIOCGHWTSTAMP", ioctl_device_request),
    NUMBERED_WALK(0x8940, "SIOCGIFBR", ioctl_bridges),
    NUMBERED_WALK(0x8941, "SIOCSIFBR", ioctl_bridges),
    NUMBERED_REFUSE(0x894a, "SIOCWANDEV"),
    NUMBERED(0x8b01, "SIOCGIWNAME", INOUT, WIRELESS),
    /* Tunnels: the numbers say int, and mean an interface request. */
    NUMBERED(0x400454ca, "TUNSETIFF", INOUT, IFREQ),
    NUMBERED(0x800454d2, "TUNGETIFF", OUT, IFREQ),
    NUMBERED(0x400454c8, "TUNSETNOCSUM", VALUE, 0),
    NUMBERED(0x400454c9, "TUNSETDEBUG", VALUE, 0),
    NUMBERED(0x400454cb, "TUNSETPERSIST", VALUE, 0),
    NUMBERED(0x400454cc, "TUNSETOWNER", VALUE, 0),
    NUMBERED(0x400454ce, "TUNSETGROUP", VALUE, 0),
    NUMBERED(0x400454d0, "TUNSETOFFLOAD", VALUE, 0),
    /* btrfs. */
    NUMBERED_WINDOW(0xc0709411, "BTRFS_IOC_TREE_SEARCH_V2", ioctl_tree_search),
    NUMBERED_WINDOW(0xc0389423, "BTRFS_IOC_INO_PATHS", ioctl_tree_paths),
    NUMBERED_WINDOW(0xc0389424, "BTRFS_IOC_LOGICAL_INO", ioctl_tree_paths),
    NUMBERED_WINDOW(0xc038943b, "BTRFS_IOC_LOGICAL_INO_V2", ioctl_tree_paths),
    /* Structures with pointers to what is written. The first two also tell of the engine's mappings. */
    NUMBERED_REFUSE(0xc0606610, "PAGEMAP_SCAN"),
    NUMBERED_REFUSE(0xc0686611, "PROCMAP_QUERY"),
    NUMBERED_REFUSE(0xc0286687, "FS_IOC_READ_VERITY_METADATA"),
    NUMBERED_REFUSE(0xc0101282, "BLKREPORTZONE"),
    NUMBERED_REFUSE(0x707, "I2C_RDWR"),
    NUMBERED_REFUSE(0x720, "I2C_SMBUS"),
    NUMBERED_REFUSE(0x530e, "CDROMREADAUDIO"),
    NUMBERED_REFUSE(0x5393, "CDROM_SEND_PACKET"),
    NUMBERED_REFUSE(0x4b66, "GIO_UNIMAP"),
    NUMBERED_REFUSE(0x4b67, "PIO_UNIMAP"),
    NUMBERED_REFUSE(0x4b6b, "GIO_FONTX"),
    NUMBERED_REFUSE(0x4b6c, "PIO_FONTX"),
    NUMBERED_REFUSE(0x4b72, "KDFONTOP"),
    NUMBERED_REFUSE(0x4604, "FBIOGETCMAP"),
    NUMBERED_REFUSE(0x4605, "FBIOPUTCMAP"),
    NUMBERED_REFUSE(0x1269, "BLKPG"),
    NUMBERED_REFUSE(0x258, "FDRAWCMD"),
    NUMBERED_REFUSE(0x80106f53, "FE_GET_PROPERTY"),
    NUMBERED_REFUSE(0x8010690c, "I2OPASSTHRU"),
    NUMBERED_REFUSE(0x8028690d, "IPMICTL_SEND_COMMAND"),
    NUMBERED_REFUSE(0x80306915, "IPMICTL_SEND_COMMAND_SETTIME"),
    NUMBERED_REFUSE(0x80184f3a, "OMAPFB_MEMORY_READ"),
    NUMBERED_REFUSE(0x80084844, "SNDRV_HDSPM_IOCTL_GET_MIXER"),
    /* More data behind the structure than is compared. */
    NUMBERED_REFUSE(0x31d, "HDIO_DRIVE_TASKFILE"),
    NUMBERED_REFUSE(0x31f, "HDIO_DRIVE_CMD"),
    /* Numbers that name a pointer, and mean the memory that the argument points to; and structures with a pointer that is not followed. */
    NUMBERED_WINDOW(0x80086300, "CM_IOCGSTATUS", ioctl_window),
    NUMBERED_WINDOW(0x80200204, "FDGETPRM", ioctl_window),
    NUMBERED_WINDOW(0x80500212, "FDGETDRVSTAT", ioctl_window),
    NUMBERED_WINDOW(0x80500213, "FDPOLLDRVSTAT", ioctl_window),
    NUMBERED_WINDOW(0x801054db, "TUNGETFILTER", ioctl_window),
    NUMBERED_WINDOW(0x8008fe00, "ISST_IF_GET_PLATFORM_INFO", ioctl_window),
    NUMBERED_WINDOW(0x80082407, "PERF_EVENT_IOC_ID", ioctl_window),
    NUMBERED_WINDOW(0x800870a1, "PPS_GETPARAMS", ioctl_window),
    NUMBERED_WINDOW(0x800870a3, "PPS_GETCAP", ioctl_window),
    NUMBERED_WINDOW(0x80105013, "SNDCTL_DSP_MAPINBUF", ioctl_window),
    NUMBERED_WINDOW(0x80105014, "SNDCTL_DSP_MAPOUTBUF", ioctl_window),
    NUMBERED_WINDOW(0x80086c41, "UDF_GETEABLOCK", ioctl_window),
    NUMBERED_WINDOW(0x80086c42, "UDF_GETVOLIDENT", ioctl_window),
    /* Namespaces. */
    NUMBERED(0xb704, "NS_GET_OWNER_UID", OUT, INT),
};

/* Families by the letter of the number: a device or the kernel writes memory after the call has returned, or the
 * structures point to memory in ways that only the driver knows. As if the device were not there. */
static const struct input_command refused_family = {0, INPUT_REFUSE, ENOTTY, INPUT_VALUE, 0, NULL, NULL};
static const struct {
  uint8_t letter;
  bool sized;          /* only the numbers that have a size: others under this letter are harmless */
  uint8_t first, last; /* of the numbers under the letter */
} refused_families[] = {
    {0xae, false, 0, 255},                           /* virtual machines */
    {0xaf, false, 0, 255},                           /* their devices */
    {'d', false, 0, 255},                            /* graphics */
    {';', false, 0, 255},                            /* devices handed to the process */
    {0xaa, false, 0, 255},                           /* userfaultfd */
    {'a', false, 0, 255},                            /* ATM */
    {'b', false, 0, 255},                            /* binder, shared buffers of devices */
    {'k', false, 0, 255},                            /* SPI */
    {'N', false, 0, 255},                            /* NVMe */
    {'|', false, 0, 255},                            /* media controllers */
    {'A', true, 0, 255},                             /* sound: streams */
    {'M', true, 0, 255},                             /* flash memory */
    {'U', true, 0, 255},                             /* USB; sound: controls */
    {'V', true, 0, 255},                             /* video */
    {'X', true, 101, 118},                           /* XFS: what it tells in bulk, and handles */
    {'X', true, 122, 123},     {0x94, true, 64, 64}, /* btrfs: compressed data as it is */
    {0x89, false, 0xf0, 0xff},                       /* what drivers of network devices have of their own */
    {0x1b, true, 0, 255},  /* InfiniBand: addresses in arrays behind the structure */
    {0xb6, false, 0, 255}, /* FPGAs, which write memory of the process */
    {0xf8, true, 0, 255}, /* AppArmor's notifications: the size is that of a pointer, not of what the kernel writes … */
    {0xfe, true, 0, 255}, /* … and of a processor's speeds: the same */
};

/* Letters of numbers without a size, among them all from before the convention. Where the kernel looks through an address in what such a
 * number is given the number is above; of the others many are called without an argument, and what is there instead means nothing. */
static const uint8_t plain_letters[] = {
    0x00, 0x02, 0x03, 0x06, 0x07, 0x12, 0x1b, 0x22, '#',  '$',  '3',  '=',  '>', 'A', 'B',
    'C',  'F',  'G',  'H',  'K',  'L',  'M',  'O',  'P',  'Q',  'R',  'S',  'T', 'U', 'V',
    'W',  '[',  'X',  'c',  'f',  'g',  'h',  'i',  'm',  'o',  'p',  'r',  't', 'v', 'x',
    0x81, 0x89, 0x8b, 0x93, 0x94, 0xa2, 0xa5, 0xab, 0xb1, 0xb5, 0xb7, 0xf5,
};

bool ioctl_is_plain(uint32_t command) {
  for (size_t i = 0; i < sizeof plain_letters; i++)
    if (!_IOC_SIZE(command) && _IOC_TYPE(command) == plain_letters[i]) return true;
  return false;
}

static bool is_refused(uint32_t command) {
  for (size_t i = 0; i < sizeof refused_families / sizeof *refused_families; i++)
    if (_IOC_TYPE(command) == refused_families[i].letter && _IOC_NR(command) >= refused_families[i].first &&
        _IOC_NR(command) <= refused_families[i].last && (!refused_families[i].sized || _IOC_SIZE(command)))
      return true;
  return false;
}

/* Of the wireless extensions, those whose request has a pointer to a buffer; drivers may have such of their own. */
static const struct input_command *wireless_command(uint32_t command) {
  static const struct input_command buffer = {0,    INPUT_EMULATE,        0, INPUT_POINTER, COMPARED_SIZE,
                                              NULL, ioctl_wireless_buffer};
  static const uint8_t with_buffer[] = {
      0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f,       /* range, private commands, statistics */
      0x10, 0x11, 0x12, 0x13, 0x16, 0x17,       /* spying, access points */
      0x18, 0x19, 0x1a, 0x1b, 0x1c, 0x1d,       /* scans, names */
      0x2a, 0x2b, 0x30, 0x31, 0x34, 0x35, 0x36, /* keys */
  };
  if (command < 0x8b00 || command > 0x8bff) return NULL;
  if (command >= 0x8be0) return &refused_family;
  for (size_t i = 0; i < sizeof with_buffer; i++)
    if ((command & 0xff) == with_buffer[i]) return &buffer;
  return NULL;
}

const struct input_command *ioctl_command(uint32_t command) {
  const struct input_command *known =
      input_find_command(commands, sizeof commands / sizeof *commands, command);
  if (known || (known = wireless_command(command))) return known;
  static const struct input_command mapper = {0, INPUT_EMULATE, 0, INPUT_POINTER, 0, NULL, ioctl_mapper};
  if (_IOC_TYPE(command) == 0xfd && _IOC_DIR(command) == (_IOC_READ | _IOC_WRITE)) return &mapper;
  return is_refused(command) ? &refused_family : NULL;
}
