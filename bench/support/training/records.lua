-- Text to tables and back, by string.format, gsub and a parser that goes character by character.
local seed = 12345
local function random(n) seed = (seed * 1103515245 + 12345) % 2147483648; return seed % n end

local function encode(value, out)
  local kind = type(value)
  if kind == "table" then
    if #value > 0 then
      out[#out + 1] = "["
      for i, each in ipairs(value) do
        if i > 1 then out[#out + 1] = "," end
        encode(each, out)
      end
      out[#out + 1] = "]"
    else
      local keys = {}
      for key in pairs(value) do keys[#keys + 1] = key end
      table.sort(keys)
      out[#out + 1] = "{"
      for i, key in ipairs(keys) do
        out[#out + 1] = (i > 1 and "," or "") .. string.format("%q:", key)
        encode(value[key], out)
      end
      out[#out + 1] = "}"
    end
  elseif kind == "string" then
    out[#out + 1] = '"' .. value:gsub("[\\\"]", "\\%0") .. '"'
  else
    out[#out + 1] = tostring(value)
  end
  return out
end

local decode
local function list(text, at, close, item)
  local result = {}
  at = at + 1
  while text:sub(at, at) ~= close do
    at = item(result, at)
    if text:sub(at, at) == "," then at = at + 1 end
  end
  return result, at + 1
end

function decode(text, at)
  local first = text:sub(at, at)
  if first == "[" then
    return list(text, at, "]", function(result, from)
      local value, after = decode(text, from)
      result[#result + 1] = value
      return after
    end)
  elseif first == "{" then
    return list(text, at, "}", function(result, from)
      local key, after = decode(text, from)
      result[key], after = decode(text, after + 1)
      return after
    end)
  elseif first == '"' then
    local stop = text:find('"', at + 1, true)
    return text:sub(at + 1, stop - 1), stop + 1
  end
  local digits = text:match("^[-%d.]+", at)
  return tonumber(digits), at + #digits
end

local function record(depth)
  if depth == 0 then return random(100000) end
  local made = {}
  for i = 1, 4 do made["field" .. i] = random(3) == 0 and "text" .. random(1000) or record(depth - 1) end
  made.all = {random(10), random(10), "last"}
  return made
end

local size = 0
for round = 1, 24 do
  local text = table.concat(encode(record(4), {}))
  assert(table.concat(encode(decode(text, 1), {})) == text)
  size = size + #text
end
print(size)
