-- Text: words counted and sorted, patterns, formats, chunks compiled.
local vowels, consonants = {"a", "e", "i", "o", "u"}, {"b", "d", "f", "g", "k", "l", "m", "n", "r", "s", "t"}
local seed = 7
local function random(n)
  seed = (seed * 16807) % 2147483647
  return seed % n + 1
end

local lines = {}
for i = 1, 6000 do
  local words = {}
  for w = 1, 8 do
    local word = {}
    for s = 1, random(4) do word[s] = consonants[random(#consonants)] .. vowels[random(#vowels)] end
    words[w] = table.concat(word)
  end
  lines[i] = table.concat(words, " ")
end
local text = table.concat(lines, "\n")

local counts, order = {}, {}
for word in text:gmatch("%a+") do
  if not counts[word] then order[#order + 1] = word end
  counts[word] = (counts[word] or 0) + 1
end
table.sort(order, function(a, b)
  if counts[a] ~= counts[b] then return counts[a] > counts[b] end
  return a < b
end)

local changed = text:gsub("(%a)(%a+)", function(first, rest) return first:upper() .. rest end)
changed = changed:gsub("n[aeiou]", "%0%0"):rep(2, "\n")
local found, from = 0, 1
while true do
  local at = changed:find("Ka", from, true)
  if not at then break end
  found, from = found + 1, at + 1
end

local out = {}
for i = 1, 40000 do out[#out + 1] = string.format("%5d %-8s %x %.3f", i, order[i % #order + 1], i * 31, i / 7) end
local bytes = 0
for i = 1, #changed, 3 do bytes = (bytes * 31 + changed:byte(i)) % 16777213 end

local total = 0
for i = 1, 6000 do
  local chunk = load("local a, b = " .. i .. ", {1, 2, x = 3} for k, v in pairs(b) do a = a + v end return a * 2")
  total = total + chunk()
end
print(#order, order[1], #changed, found, #table.concat(out), bytes, total)
