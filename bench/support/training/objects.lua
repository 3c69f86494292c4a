-- Classes, closures, garbage: binary trees, an event queue, coroutines.
local Account = {}
Account.__index = Account

function Account.new(owner) return setmetatable({owner = owner, balance = 0, log = {}}, Account) end

function Account:deposit(amount)
  self.balance = self.balance + amount
  self.log[#self.log + 1] = amount
  if #self.log > 50 then self.log = {} end
end

local function tree(depth)
  if depth == 0 then return {} end
  return {tree(depth - 1), tree(depth - 1)}
end

local function count(node) return node[1] and 1 + count(node[1]) + count(node[2]) or 1 end

local function push(heap, value)
  local i = #heap + 1
  heap[i] = value
  while i > 1 and heap[i // 2] > heap[i] do
    heap[i], heap[i // 2] = heap[i // 2], heap[i]
    i = i // 2
  end
end

local function pop(heap)
  local first, n = heap[1], #heap
  heap[1], heap[n] = heap[n], nil
  local i = 1
  while 2 * i < n do
    local child = 2 * i
    if child + 1 < n and heap[child + 1] < heap[child] then child = child + 1 end
    if heap[i] <= heap[child] then break end
    heap[i], heap[child] = heap[child], heap[i]
    i = child
  end
  return first
end

local accounts = {}
for i = 1, 200 do accounts[i] = Account.new("owner" .. i) end
for i = 1, 400000 do accounts[i % 200 + 1]:deposit(i % 97) end

local nodes = 0
for _ = 1, 12 do nodes = nodes + count(tree(12)) end

local heap, seed, sum = {}, 42, 0
for _ = 1, 60000 do
  seed = (seed * 1103515245 + 12345) % 2147483648
  push(heap, seed)
end
while #heap > 1 do sum = (sum + pop(heap)) % 1000003 end

local words = coroutine.wrap(function()
  for i = 1, 60000 do coroutine.yield(i % 7 == 0 and "seven" or i) end
end)
local sevens = 0
for word in words do if word == "seven" then sevens = sevens + 1 end end

local failures = 0
for i = 1, 30000 do
  if not pcall(function() if i % 3 == 0 then error({code = i}) end end) then failures = failures + 1 end
end
print(accounts[17].balance, nodes, sum, sevens, failures)
