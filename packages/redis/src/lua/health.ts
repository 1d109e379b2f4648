/** By the server's own clock, in whole microseconds: a double holds them exactly until the year 2255. */
const clock = `
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
-- Lua itself writes 14 digits of a number and rounds the rest away.
local function text(number) return string.format('%.0f', number) end
local function left_ms(until_at) return math.max(0, math.ceil(((tonumber(until_at) or 0) - now) / 1000)) end
`

/**
 * What is known of targets. Keys: theirs. Answers nine texts for each: generation, how often it was opened, for how long
 * in milliseconds it is open yet and cools down yet for all; whom alone it is open for, whether it answers some calls,
 * and why it was opened (empty: not told); whom alone it cools down for, and for how long. Where nothing is known the
 * generation is -1.
 */
export const readHealth = `${clock}
local reply = {}
local function say(value) reply[#reply + 1] = value end
for _, key in ipairs(KEYS) do
  local kept = redis.call('HMGET', key,
    'generation', 'openings', 'open', 'cool', 'for', 'partial', 'reason', 'pausefor', 'pause')
  -- Text: a generation has more digits than some clients read of a number.
  say(kept[1] or ((kept[4] or kept[9]) and '0') or '-1')
  say(kept[2] or '0')
  say(text(left_ms(kept[3])))
  say(text(left_ms(kept[4])))
  say(kept[5] or '')
  say(kept[6] or '')
  say(kept[7] or '')
  say(kept[8] or '')
  say(text(left_ms(kept[9])))
end
return reply
`

/**
 * Stores the state of targets. Keys: of each, its own and that of its probe. Arguments: how long it is kept after it
 * is of use, in milliseconds; then eight for each: how often it was opened (empty: not told), for how long it is open in
 * milliseconds, whom alone for (empty: all), whether it answers some calls (1: yes), and why; for how many milliseconds
 * it cools down for all (0: it does not); whom alone it cools down for, and for how long (0: nobody). Answers the
 * generation of each.
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
    -- The time, so that it is none that was before the key was forgotten.
    generation = text(math.max(now, tonumber(generation) + 1))
    local open = text(now + open_ms * 1000)
    redis.call('HSET', key, 'generation', generation, 'openings', openings, 'open', open)
    redis.call('HSET', key, 'for', open_for, 'partial', partial, 'reason', reason)
    redis.call('DEL', probe)
  end
  local cool = now + cool_ms * 1000
  if pause_ms > 0 then
    local pause = now + pause_ms * 1000
    local kept = redis.call('HMGET', key, 'pause', 'pausefor')
    local longest = tonumber(kept[1] or '0')
    -- If two principals have to wait, all have to.
    if kept[2] ~= pause_for and longest > now then cool = math.max(cool, math.min(pause, longest)) end
    if pause > longest then redis.call('HSET', key, 'pause', text(pause), 'pausefor', pause_for) end
  end
  if cool > now then
    redis.call('HSET', key, 'cool', text(math.max(cool, tonumber(redis.call('HGET', key, 'cool') or '0'))))
  end
  if openings ~= '' or cool_ms > 0 or pause_ms > 0 then
    local kept = redis.call('HMGET', key, 'open', 'cool', 'pause')
    local left = math.max(left_ms(kept[1]), left_ms(kept[2]), left_ms(kept[3]))
    redis.call('PEXPIRE', key, text(left + slack_ms))
  end
  reply[index] = generation
end
return reply
`

/** Key: the probe's. Arguments: who asks, and for how many milliseconds. Answers 1 where it may probe, else 0. */
export const acquireProbe = `
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 1 end
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1
`

/** Key: the probe's. Argument: who had it. Answers 1 where it had, else 0. */
export const releaseProbe = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])
`
