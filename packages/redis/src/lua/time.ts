/**
 * The time by the server's clock; the clocks of the processes do not matter. All times are whole microseconds, which a
 * double represents exactly until the year 2255.
 */
export const time = `
local function read_clock()
  if ARGV[1] ~= '' then return tonumber(ARGV[1]) end
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000000 + tonumber(time[2])
end
local now = read_clock()
local slack_ms = tonumber(ARGV[2])
local HOUR = 3600000000
-- The largest integer below which doubles are exact. No count exceeds it.
local MOST = 9007199254740991
local NEVER = -1

-- Lua itself writes 14 digits of a number and rounds the rest away.
local function text(number) return string.format('%.0f', number) end

-- The time to live in ms of a key that is needed for a span of microseconds.
local function ttl_ms(span) return text(math.ceil(span / 1000) + slack_ms) end

local function keep(key, span)
  local ms = ttl_ms(span)
  if redis.call('PTTL', key) < tonumber(ms) then redis.call('PEXPIRE', key, ms) end
end
`
