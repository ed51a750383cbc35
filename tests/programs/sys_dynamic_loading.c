/* dlopen, dlsym, dladdr, dlclose, a library that is not there, constructors run at load and unload. */
#include "sys_helpers.h"
#include <dlfcn.h>
#include <link.h>

static int visit(struct dl_phdr_info *info, size_t size, void *argument) {
  (void)size;
  if (strstr(info->dlpi_name, "libutil") || strstr(info->dlpi_name, "libanl")) ++*(int *)argument;
  return 0;
}

static int loaded(void) {
  int count = 0;
  dl_iterate_phdr(visit, &count);
  return count;
}

int main(void) {
  void *math = dlopen("libm.so.6", RTLD_NOW);
  CHECK(math);
  double (*root)(double) = (double (*)(double))dlsym(math, "sqrt"), (*power)(double, double);
  *(void **)&power = dlsym(math, "pow");
  CHECK(root && power);
  say("%.17g %.17g\n", root(2), power(2, 0.5));
  Dl_info info;
  CHECK(dladdr((void *)root, &info) != 0);
  say("dladdr: %s in libm %d\n", strncmp(info.dli_sname, "sqrt", 4) == 0 ? "sqrt" : info.dli_sname,
      strstr(info.dli_fname, "libm") != NULL);
  CHECK(dlopen("libnothing-of-that-name.so", RTLD_NOW) == NULL);
  say("missing library: %s\n", dlerror());
  say("missing symbol: %d\n", dlsym(math, "no_such_function") == NULL);
  say("before %d", loaded());
  void *extra = dlopen("libanl.so.1", RTLD_LAZY | RTLD_LOCAL);
  CHECK(extra);
  say(" loaded %d", loaded());
  CHECK(dlclose(extra) == 0);
  say(" unloaded %d\n", loaded());
  say("own handle finds printf %d\n", dlsym(RTLD_DEFAULT, "printf") == (void *)printf);
  for (int i = 0; i < 50; i++) { /* code mapped and unmapped again and again */
    extra = dlopen("libanl.so.1", RTLD_NOW);
    CHECK(extra && dlclose(extra) == 0);
  }
  say("fifty times\n");
  return 0;
}
