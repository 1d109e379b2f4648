/** Returns the text of an entry. Key: its own. */
export const getEntry = `return redis.call('GET', KEYS[1])`

/**
 * An owner's entries. Keys: the entry's own; a sorted set of the owner's entries that may be evicted, and one of those that
 * are pinned, by when their time is over in milliseconds since 1970. The members are the names of keys: all keys of an
 * owner are on one node of a cluster. First argument: how many entries an owner may have.
 */
const entries = `
local entry, evictable, pinned = KEYS[1], KEYS[2], KEYS[3]
local most = tonumber(ARGV[1])
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)

local function remove()
  redis.call('DEL', entry)
  redis.call('ZREM', evictable, entry)
  redis.call('ZREM', pinned, entry)
end

-- The sorted set is of use as long as the last of its members.
local function list(set, ends)
  redis.call('ZADD', set, string.format('%.0f', ends), entry)
  local ms = string.format('%.0f', ends - now)
  if redis.call('PTTL', set) < tonumber(ms) then redis.call('PEXPIRE', set, ms) end
end

-- Makes room among the owner's entries for this one: those whose time ends first go first.
local function make_room()
  redis.call('ZREMRANGEBYSCORE', evictable, '-inf', now)
  redis.call('ZREMRANGEBYSCORE', pinned, '-inf', now)
  redis.call('ZREM', evictable, entry)
  redis.call('ZREM', pinned, entry)
  local claims = redis.call('ZCARD', pinned)
  if claims >= most then return false end
  local over = claims + redis.call('ZCARD', evictable) - most
  if over >= 0 then
    for _, other in ipairs(redis.call('ZRANGE', evictable, 0, over)) do
      redis.call('DEL', other)
      redis.call('ZREM', evictable, other)
    end
  end
  return true
end

local function store(text, ms, is_pinned)
  -- What is renewed needs no room: it has it, also where an owner may have less by now.
  local renewed = is_pinned == '1' and redis.call('ZSCORE', pinned, entry)
  if not renewed and not make_room() then
    redis.call('DEL', entry)
    return false
  end
  redis.call('SET', entry, text, 'PX', ms)
  list(is_pinned == '1' and pinned or evictable, now + tonumber(ms))
  return true
end
`

/** Stores a text. Keys and the first argument: as above; then the text, its time in milliseconds, `1` for pinned. Replies 1. */
export const setEntry = `${entries}
store(ARGV[2], ARGV[3], ARGV[4])
return 1
`

/**
 * Stores a text where none is stored. Keys and arguments: as to set. Replies `added`, or `full`, or `existing` and the text
 * that is stored.
 */
export const addEntry = `${entries}
local existing = redis.call('GET', entry)
if existing then return { 'existing', existing } end
-- A claim of before may have been evicted by the server: it is not renewed.
redis.call('ZREM', pinned, entry)
return { store(ARGV[2], ARGV[3], ARGV[4]) and 'added' or 'full' }
`

/**
 * Stores a text in place of the expected one, or removes that. Keys and the first argument: as above; then the expected
 * text, the other's time in milliseconds, `1` for pinned, the other where there is one. Replies 1 where it was there, 0 where
 * not.
 */
export const replaceEntry = `${entries}
if redis.call('GET', entry) ~= ARGV[2] then return 0 end
if #ARGV == 4 then remove() else store(ARGV[5], ARGV[3], ARGV[4]) end
return 1
`
