# LuaJIT: traces compiled and left, the C interface with callbacks, coroutines, garbage.
# needs: /usr/bin/luajit
cat >script.lua <<'LUA'
local ffi = require("ffi")
local bit = require("bit")
ffi.cdef [[
  int getpid(void);
  void qsort(void *base, size_t n, size_t size, int (*compare)(const int *, const int *));
  size_t strlen(const char *s);
]]
local function sieve(n)
  local composite, count = {}, 0
  for i = 2, n do
    if not composite[i] then
      count = count + 1
      for j = i * i, n, i do composite[j] = true end
    end
  end
  return count
end
print(sieve(2000000))

local h = 2166136261
for i = 1, 20000000 do h = bit.bxor(h, bit.band(i, 255)); h = bit.tobit(h * 16777619 % 4294967296) end
print(h)

local numbers = ffi.new("int[?]", 2000)
for i = 0, 1999 do numbers[i] = (i * 7919) % 2003 end
local calls = 0
local compare = ffi.cast("int (*)(const int *, const int *)", function(a, b) calls = calls + 1; return a[0] - b[0] end)
jit.off()
ffi.C.qsort(numbers, 2000, 4, compare)
jit.on()
local ordered = true
for i = 1, 1999 do ordered = ordered and numbers[i - 1] <= numbers[i] end
print(ordered, calls > 2000)

local function generator(n) return coroutine.wrap(function() for i = 1, n do coroutine.yield(i) end end) end
local total = 0
for i in generator(300000) do total = total + i end
print(total)

local parts = {}
for i = 1, 200000 do parts[#parts + 1] = ("%d:%x"):format(i, i * i) end
local text = table.concat(parts, ",")
print(#text, tonumber(ffi.C.strlen(text)), select(2, text:gsub("ff", "")))
print(pcall(function() local x = nil; return x.field end))
print(select(2, pcall(error, { code = 1 })).code)
local ok, n = pcall(function() local function down(i) return 1 + down(i + 1) end; return down(1) end)
print(ok, n:match("stack overflow"))
os.exit(21)
LUA
outcome $R /usr/bin/luajit script.lua
outcome $R /usr/bin/luajit -joff -e 'local t = 0; for i = 1, 1e6 do t = t + i % 3 end; print(t)'
outcome $R /usr/bin/luajit -e 'error("no")' 2>&1 | sed 's/0x[0-9a-f]*/ADDRESS/'
