/** The server's clock, in whole microseconds: a double represents them exactly until the year 2255. */
const clock = `
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
-- Lua itself writes 14 digits of a number and rounds the rest away.
local function text(number) return string.format('%.0f', number) end
local function left_ms(until_at) return math.max(0, math.ceil(((tonumber(until_at) or 0) - now) / 1000)) end
`

/**
 * Reads the health of targets. Keys: theirs. Replies nine texts for each: generation; number of openings; milliseconds
 * until the circuit breaker closes, and until the cooldown for all principals ends; the principal for whom it is open,
 * whether it answers some calls, and why it opened (empty: unknown); the principal with a cooldown of its own, and its
 * milliseconds. The generation of an unknown target is -1.
 */
export const readHealth = `${clock}
local reply = {}
local function add(value) reply[#reply + 1] = value end
for _, key in ipairs(KEYS) do
  local stored = redis.call('HMGET', key,
    'generation', 'openings', 'open', 'cool', 'for', 'partial', 'reason', 'pausefor', 'pause')
  -- Text: a generation has more digits than some clients read of a number.
  add(stored[1] or ((stored[4] or stored[9]) and '0') or '-1')
  add(stored[2] or '0')
  add(text(left_ms(stored[3])))
  add(text(left_ms(stored[4])))
  add(stored[5] or '')
  add(stored[6] or '')
  add(stored[7] or '')
  add(stored[8] or '')
  add(text(left_ms(stored[9])))
end
return reply
`

/**
 * Stores the health of targets. Keys: of each, its own and that of its probe. Arguments: the extra time to live in
 * milliseconds; then eight for each: number of openings (empty: unchanged), milliseconds for which it is open, the
 * principal for whom (empty: all), whether it answers some calls (1: yes), and why; milliseconds of cooldown for all
 * principals (0: none); the principal with a cooldown of its own, and its milliseconds (0: none). Replies the generation
 * of each.
 */
export const writeHealth = `${clock}
local slack_ms = tonumber(ARGV[1])
local reply = {}
for index = 1, #KEYS / 2 do
  local key, probe = KEYS[2 * index - 1], KEYS[2 * index]
  local at = 8 * index - 7
  local openings, open_ms, open_for, partial, reason = ARGV[at + 1], tonumber(ARGV[at + 2]), ARGV[at + 3], ARGV[at + 4], ARGV[at + 5]
  local cool_ms, pause_for, pause_ms = tonumber(ARGV[at + 6]), ARGV[at + 7], tonumber(ARGV[at + 8])
  local generation = redis.call('HGET', key, 'generation') or '0'
  if openings ~= '' then
    -- From the clock, so that a generation is never reused after the key has expired.
    generation = text(math.max(now, tonumber(generation) + 1))
    local open = text(now + open_ms * 1000)
    redis.call('HSET', key, 'generation', generation, 'openings', openings, 'open', open)
    redis.call('HSET', key, 'for', open_for, 'partial', partial, 'reason', reason)
    redis.call('DEL', probe)
  end
  local cool = now + cool_ms * 1000
  if pause_ms > 0 then
    local pause = now + pause_ms * 1000
    local stored = redis.call('HMGET', key, 'pause', 'pausefor')
    local longest = tonumber(stored[1] or '0')
    -- If two principals are in cooldown, all are.
    if stored[2] ~= pause_for and longest > now then cool = math.max(cool, math.min(pause, longest)) end
    if pause > longest then redis.call('HSET', key, 'pause', text(pause), 'pausefor', pause_for) end
  end
  if cool > now then
    redis.call('HSET', key, 'cool', text(math.max(cool, tonumber(redis.call('HGET', key, 'cool') or '0'))))
  end
  if openings ~= '' or cool_ms > 0 or pause_ms > 0 then
    local stored = redis.call('HMGET', key, 'open', 'cool', 'pause')
    local left = math.max(left_ms(stored[1]), left_ms(stored[2]), left_ms(stored[3]))
    redis.call('PEXPIRE', key, text(left + slack_ms))
  end
  reply[index] = generation
end
return reply
`

/** Key: the probe's. Arguments: the process, and milliseconds. Replies 1 if the process may probe, else 0. */
export const acquireProbe = `
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 1 end
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1
`

/** Key: the probe's. Argument: the process. Replies 1 if the process had the probe, else 0. */
export const releaseProbe = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])
`
