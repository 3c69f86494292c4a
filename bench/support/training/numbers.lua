-- Numbers and tables: matrices, primes, queens, a picture of floats, sorting, recursion.
local function matrix(n, f)
  local rows = {}
  for i = 1, n do
    rows[i] = {}
    for j = 1, n do rows[i][j] = f(i, j) end
  end
  return rows
end

local function product(a, b)
  return matrix(#a, function(i, j)
    local sum = 0.0
    for k = 1, #a do sum = sum + a[i][k] * b[k][j] end
    return sum
  end)
end

local function primes(n)
  local composite, found = {}, 0
  for i = 2, n do
    if not composite[i] then
      found = found + 1
      for j = i * i, n, i do composite[j] = true end
    end
  end
  return found
end

local function queens(n, row, columns, up, down)
  if row > n then return 1 end
  local found = 0
  for c = 1, n do
    if not (columns[c] or up[row + c] or down[row - c]) then
      columns[c], up[row + c], down[row - c] = true, true, true
      found = found + queens(n, row + 1, columns, up, down)
      columns[c], up[row + c], down[row - c] = nil, nil, nil
    end
  end
  return found
end

local function escapes(x, y)
  local a, b = 0.0, 0.0
  for i = 1, 60 do
    a, b = a * a - b * b + x, 2 * a * b + y
    if a * a + b * b > 4 then return i end
  end
  return 0
end

local function fib(n) return n < 2 and n or fib(n - 1) + fib(n - 2) end

local m = matrix(90, function(i, j) return (i * j) % 10 + 0.5 end)
local trace = 0
for i, row in ipairs(product(m, m)) do trace = trace + row[i] end

local dots = 0
for y = -60, 60 do for x = -80, 40 do dots = dots + escapes(x / 40, y / 40) end end

local list, seed = {}, 1
for i = 1, 80000 do
  seed = (seed * 48271) % 2147483647
  list[i] = seed
end
table.sort(list)
table.sort(list, function(a, b) return a % 1000 < b % 1000 end)

local bits = 0
for i = 1, 500000 do bits = (bits ~ (i << 3)) & 0xffffff | i >> 2 end
print(trace, primes(300000), queens(7, 1, {}, {}, {}), dots, list[1], bits, fib(25))
