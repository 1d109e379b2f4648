/** So many at once: those who hold one, in the order in which their time is over. */
export const lease = `
local lease = {}

-- A refusal writes nothing. Those whose time is over go when the next one comes, and after it: a server without memory
-- refuses only what would be the first thing that a script writes.
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

function lease.standing(counter, over)
  if not over then return counter.held, 0, 0 end
  local live = redis.call('ZRANGEBYSCORE', counter.holds, '(' .. text(now), '+inf', 'WITHSCORES', 'LIMIT', 0, 1)
  return counter.held, 0, live[2] and tonumber(live[2]) - now or 0
end
`
