/** Returns the text of an entry. Key: the entry's. */
export const getEntry = `return redis.call('GET', KEYS[1])`

/**
 * An owner's entries. Keys: the entry's own; a sorted set of the owner's entries that may be evicted, and one of those that
 * are pinned, scored by their expiry in milliseconds since 1970. The members are names of keys: all keys of an owner are on
 * one node of a cluster. First argument: the maximum number of entries of an owner.
 */
const entries = `
local entry, evictable, pinned = KEYS[1], KEYS[2], KEYS[3]
local max_entries = tonumber(ARGV[1])
local time = redis.call('TIME')
-- With its microseconds: of two entries of one millisecond, the older one is evicted.
local now = tonumber(time[1]) * 1000 + tonumber(time[2]) / 1000

local function remove()
  redis.call('DEL', entry)
  redis.call('ZREM', evictable, entry)
  redis.call('ZREM', pinned, entry)
end

-- The sorted set expires with the last of its members.
local function list(set, ends)
  redis.call('ZADD', set, string.format('%.3f', ends), entry)
  local ms = string.format('%.0f', ends - now)
  if redis.call('PTTL', set) < tonumber(ms) then redis.call('PEXPIRE', set, ms) end
end

-- Evicts entries of the owner until this one fits: those that expire first go first.
local function evict_for_entry()
  redis.call('ZREMRANGEBYSCORE', evictable, '-inf', now)
  redis.call('ZREMRANGEBYSCORE', pinned, '-inf', now)
  redis.call('ZREM', evictable, entry)
  redis.call('ZREM', pinned, entry)
  local claims = redis.call('ZCARD', pinned)
  if claims >= max_entries then return false end
  local over = claims + redis.call('ZCARD', evictable) - max_entries
  if over >= 0 then
    for _, other in ipairs(redis.call('ZRANGE', evictable, 0, over)) do
      redis.call('DEL', other)
      redis.call('ZREM', evictable, other)
    end
  end
  return true
end

local function store(text, ms, is_pinned)
  -- A renewed entry is counted already, even if the owner's limit is lower now.
  local renewed = is_pinned == '1' and redis.call('ZSCORE', pinned, entry)
  if not renewed and not evict_for_entry() then
    redis.call('DEL', entry)
    return false
  end
  redis.call('SET', entry, text, 'PX', ms)
  list(is_pinned == '1' and pinned or evictable, now + tonumber(ms))
  return true
end
`

/**
 * Deletes entries of an owner, at most the number in the first argument. Keys: its two sorted sets. Replies how many it
 * deleted, and how many are left.
 */
export const deleteEntries = `
local left_to_delete, deleted, left = tonumber(ARGV[1]), 0, 0
for _, set in ipairs(KEYS) do
  local found = left_to_delete > 0 and redis.call('ZRANGE', set, 0, left_to_delete - 1) or {}
  for _, entry in ipairs(found) do
    deleted = deleted + redis.call('DEL', entry)
    redis.call('ZREM', set, entry)
  end
  left_to_delete = left_to_delete - #found
  left = left + redis.call('ZCARD', set)
end
return { deleted, left }
`

/** Stores a text. Keys and the first argument: as above; then the text, its time to live in ms, `1` for pinned. Replies 1. */
export const setEntry = `${entries}
store(ARGV[2], ARGV[3], ARGV[4])
return 1
`

/**
 * Stores a text if the key does not exist. Keys and arguments: as in `setEntry`. Replies `added`, or `full`, or `existing`
 * and the stored text.
 */
export const addEntry = `${entries}
local existing = redis.call('GET', entry)
if existing then return { 'existing', existing } end
-- The server may have evicted an earlier claim: it is not renewed.
redis.call('ZREM', pinned, entry)
return { store(ARGV[2], ARGV[3], ARGV[4]) and 'added' or 'full' }
`

/**
 * Replaces the expected text, or removes it. Keys and the first argument: as above; then the expected text, the time to live
 * of the new one in ms, `1` for pinned, and the new text, if any. Replies 1 if the expected text was stored, else 0.
 */
export const replaceEntry = `${entries}
if redis.call('GET', entry) ~= ARGV[2] then return 0 end
if #ARGV == 4 then remove() else store(ARGV[5], ARGV[3], ARGV[4]) end
return 1
`
