-- Backtracking, closures and small arrays: queens on a board, permutations, a sieve, memoized recursion.
local function queens(n)
  local columns, up, down, found = {}, {}, {}, 0
  local function place(row)
    if row > n then found = found + 1 return end
    for column = 1, n do
      local u, d = row + column, row - column + n
      if not (columns[column] or up[u] or down[d]) then
        columns[column], up[u], down[d] = true, true, true
        place(row + 1)
        columns[column], up[u], down[d] = nil, nil, nil
      end
    end
  end
  place(1)
  return found
end

local function permutations(items)
  return coroutine.wrap(function()
    local function step(n)
      if n == 0 then coroutine.yield(items) end
      for i = 1, n do
        items[i], items[n] = items[n], items[i]
        step(n - 1)
        items[i], items[n] = items[n], items[i]
      end
    end
    step(#items)
  end)
end

local function sieve(n)
  local composite, primes = {}, 0
  for i = 2, n do
    if not composite[i] then
      primes = primes + 1
      for j = i * i, n, i do composite[j] = true end
    end
  end
  return primes
end

local function memoized(f)
  local known = setmetatable({}, {__mode = "k"})
  return function(n)
    local value = known[n]
    if not value then value = f(n); known[n] = value end
    return value
  end
end

local ways
ways = memoized(function(n) return n < 3 and n or (ways(n - 1) + ways(n - 2)) % 1000007 end)

local count = 0
for order in permutations {1, 2, 3, 4, 5, 6, 7, 8} do
  if order[1] < order[8] then count = count + 1 end
end
print(queens(8), count, sieve(400000), ways(150))
