/** A limit on concurrency: the set of claims that hold a lease, scored by expiry. */
export const lease = `
local lease = {}

-- A refusal writes nothing. Expired claims are removed after the next admission: a server that is out of memory refuses
-- a script only at its first write that needs memory.
function lease.load(counter)
  counter.held = redis.call('ZCOUNT', counter.holds, '(' .. text(now), '+inf')
end

function lease.store() end

function lease.is_over(counter) return counter.held >= counter.limit end

function lease.take(counter, id, ttl)
  hold(counter, held_as(id, counter), ttl)
  redis.call('ZREMRANGEBYSCORE', counter.holds, '-inf', text(now))
  counter.held = counter.held + 1
end

function lease.settle(counter, id) redis.call('ZREM', counter.holds, held_as(id, counter)) end

function lease.usage(counter, over)
  if not over then return counter.held, 0, 0 end
  local live = redis.call('ZRANGEBYSCORE', counter.holds, '(' .. text(now), '+inf', 'WITHSCORES', 'LIMIT', 0, 1)
  return counter.held, 0, live[2] and tonumber(live[2]) - now or 0
end
`
