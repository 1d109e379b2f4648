/**
 * The responses of an owner. Keys: `order`, a sorted set of the names of the keys of its responses, scored by their expiry in
 * milliseconds since 1970; `items`, a hash from the id of an item to the name of the key of its response; `sizes`, a hash from
 * that name to a JSON list of its bytes and the ids of its items, with the sum of all bytes under `*`. All keys of an owner are
 * on one node of a cluster. If the server has evicted some of them, the next `put` begins again.
 */
const owner = `
local order, items, sizes = KEYS[1], KEYS[2], KEYS[3]
local time = redis.call('TIME')
-- With its microseconds: of two entries of one millisecond, the older one is evicted.
local now = tonumber(time[1]) * 1000 + tonumber(time[2]) / 1000

local function forget(entry)
  local stored = redis.call('HGET', sizes, entry)
  if stored then
    local size = cjson.decode(stored)
    for at = 2, #size do
      if redis.call('HGET', items, size[at]) == entry then redis.call('HDEL', items, size[at]) end
    end
    redis.call('HINCRBY', sizes, '*', -size[1])
    redis.call('HDEL', sizes, entry)
  end
  redis.call('ZREM', order, entry)
  return redis.call('DEL', entry)
end

-- The keys of the owner expire with the last of its responses.
local function live(entry, ms)
  redis.call('PEXPIRE', entry, ms)
  redis.call('ZADD', order, string.format('%.3f', now + ms), entry)
  for _, key in ipairs(KEYS) do
    if redis.call('PTTL', key) < ms then redis.call('PEXPIRE', key, ms) end
  end
end

-- Returns the text of a response, and renews it if it has less than a number of milliseconds.
local function read(entry, least, ms)
  local text = redis.call('GET', entry)
  if text and redis.call('PTTL', entry) <= tonumber(least) then live(entry, tonumber(ms)) end
  return text
end
`

/**
 * Stores a response. Keys: as above. Arguments: the name of its key, its text, its time to live in ms, the maximum number and
 * the maximum size of an owner, its bytes, and the ids of its items. Replies 1, or 0 if it is too large.
 */
export const putResponse = `${owner}
local entry, text, ms = KEYS[4], ARGV[1], tonumber(ARGV[2])
local max_responses, max_bytes, bytes = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
KEYS[4] = nil
for _, other in ipairs(redis.call('ZRANGEBYSCORE', order, '-inf', now, 'LIMIT', 0, 100)) do forget(other) end
forget(entry)
if bytes > max_bytes then return 0 end
while redis.call('ZCARD', order) >= max_responses
  or tonumber(redis.call('HGET', sizes, '*') or 0) + bytes > max_bytes do
  local oldest = redis.call('ZRANGE', order, 0, 0)[1]
  if not oldest then
    redis.call('DEL', items, sizes)
    break
  end
  forget(oldest)
end
redis.call('SET', entry, text)
local size = { bytes }
for at = 6, #ARGV do
  size[#size + 1] = ARGV[at]
  redis.call('HSET', items, ARGV[at], entry)
end
redis.call('HSET', sizes, entry, cjson.encode(size))
redis.call('HINCRBY', sizes, '*', bytes)
live(entry, ms)
return 1
`

/** Returns the text of a response. Keys: as above, and its own. Arguments: the time to live at which it is renewed, and the new one, in ms. */
export const getResponse = `${owner}
local entry = KEYS[4]
KEYS[4] = nil
return read(entry, ARGV[1], ARGV[2])
`

/** The same for the id of an item in the third argument. Keys: as above. */
export const findResponseItem = `${owner}
local entry = redis.call('HGET', items, ARGV[3])
return entry and read(entry, ARGV[1], ARGV[2])
`

/** Deletes a response. Keys: as above, and its own. Replies how many there were. */
export const deleteResponse = `${owner}
return forget(KEYS[4])
`

/**
 * Deletes responses of an owner, at most the number in the first argument. Keys: as above. Replies how many it deleted, and how
 * many are left.
 */
export const deleteResponses = `${owner}
local deleted = 0
for _, entry in ipairs(redis.call('ZRANGE', order, 0, tonumber(ARGV[1]) - 1)) do deleted = deleted + forget(entry) end
local left = redis.call('ZCARD', order)
if left == 0 then redis.call('DEL', items, sizes) end
return { deleted, left }
`
