/** By the server's own clock, in whole microseconds: a double holds them exactly until the year 2255. */
const clock = `
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
-- Lua itself writes 14 digits of a number and rounds the rest away.
local function text(number) return string.format('%.0f', number) end
local function left_ms(until_at) return math.max(0, math.ceil(((tonumber(until_at) or 0) - now) / 1000)) end
`

/**
 * What is known of targets. Keys: theirs. Answers four numbers for each: generation, how often it was opened, for how
 * long in milliseconds it is open yet and cools down yet; -1 and three others where nothing is known.
 */
export const readHealth = `${clock}
local reply = {}
for _, key in ipairs(KEYS) do
  local kept = redis.call('HMGET', key, 'generation', 'openings', 'open', 'cool')
  -- Text: a generation has more digits than some clients read of a number.
  reply[#reply + 1] = kept[1] or (kept[4] and '0') or '-1'
  reply[#reply + 1] = kept[2] or '0'
  reply[#reply + 1] = text(left_ms(kept[3]))
  reply[#reply + 1] = text(left_ms(kept[4]))
end
return reply
`

/**
 * Keeps what is told of targets. Keys: of each, its own and that of its probe. Arguments: how long it is kept after it
 * is of use, in milliseconds; then three for each: how often it was opened (empty: not told), for how long it is open,
 * and for how long it cools down (0: it does not), both in milliseconds. Answers the generation of each.
 */
export const writeHealth = `${clock}
local slack_ms = tonumber(ARGV[1])
local reply = {}
for index = 1, #KEYS / 2 do
  local key, probe = KEYS[2 * index - 1], KEYS[2 * index]
  local openings, open_ms, cool_ms = ARGV[3 * index - 1], tonumber(ARGV[3 * index]), tonumber(ARGV[3 * index + 1])
  local generation = redis.call('HGET', key, 'generation') or '0'
  if openings ~= '' then
    -- The time, so that it is none that was before the key was forgotten.
    generation = text(math.max(now, tonumber(generation) + 1))
    local open = text(now + open_ms * 1000)
    redis.call('HSET', key, 'generation', generation, 'openings', openings, 'open', open)
    redis.call('DEL', probe)
  end
  if cool_ms > 0 then
    local cool = math.max(now + cool_ms * 1000, tonumber(redis.call('HGET', key, 'cool') or '0'))
    redis.call('HSET', key, 'cool', text(cool))
  end
  if openings ~= '' or cool_ms > 0 then
    local kept = redis.call('HMGET', key, 'open', 'cool')
    redis.call('PEXPIRE', key, text(math.max(left_ms(kept[1]), left_ms(kept[2])) + slack_ms))
  end
  reply[index] = generation
end
return reply
`

/** Key: the probe's. Arguments: who asks, and for how many milliseconds. Answers 1 where it may probe, else 0. */
export const claimProbe = `
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 1 end
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1
`

/** Key: the probe's. Argument: who had it. Answers 1 where it had, else 0. */
export const letGoProbe = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])
`
