import { records } from './claim-records.ts'
import { counters } from './counters.ts'

/**
 * Reserves everything that a claim needs, or nothing.
 *
 * Keys: the claim's record; for each counter its state and its holds. Arguments: the time (empty: the server's), the
 * extra time to live of state in milliseconds, the claim's id, its time to live in microseconds; then each counter.
 * Replies 1 or 0, then four numbers for each counter: over (1 or 0), used, microseconds until it is empty and until the
 * claim fits; -1 for never.
 */
export const admit = `${counters}${records}
local ttl = tonumber(ARGV[4])
local claimed = read_counters(5)

-- Clients send a command again when the connection breaks before the reply: nothing is reserved twice.
local existing = redis.call('EXISTS', record) == 1

local allowed = true
for _, counter in ipairs(claimed) do
  counter.rules.load(counter)
  counter.over = counter.rules.is_over(counter) and not (existing and not counter.dry_run)
  if counter.over and not counter.dry_run then allowed = false end
end

local taken = ''
for _, counter in ipairs(claimed) do
  local takes = allowed and not counter.over and not existing
  if takes then counter.rules.take(counter, id, ttl)
  elseif counter.changed then counter.rules.store(counter) end
  if counter.kind == 'lease' or counter.refund then taken = taken .. (takes and '1' or '0') end
end
if allowed and taken ~= '' and not existing then write_record(record, { made = now, ends = now + ttl, taken = taken }) end

local reply = { allowed and 1 or 0 }
for _, counter in ipairs(claimed) do
  reply[#reply + 1] = counter.over and 1 or 0
  for _, number in ipairs({ counter.rules.usage(counter, counter.over) }) do
    reply[#reply + 1] = math.min(number, MOST)
  end
end
return reply
`
