/**
 * The reservations of claims: for each counter a sorted set of `id:refund:detail`, scored by expiry. The refund is the
 * amount released if the claim is never settled. The detail is the window of a sum, or the amount reserved of a rate.
 */
export const holds = `
local function held_as(id, counter, detail)
  if counter.kind == 'lease' then return id end
  return id .. ':' .. text(counter.refund) .. ':' .. text(detail)
end

local function hold(counter, member, ttl)
  redis.call('ZADD', counter.holds, text(now + ttl), member)
  keep(counter.holds, ttl)
end

-- Removes each expired hold and calls refund_hold with it. Returns whether there was one.
local function end_expired(counter, refund_hold)
  local ended = false
  while true do
    local found = redis.call('ZRANGEBYSCORE', counter.holds, '-inf', text(now), 'WITHSCORES', 'LIMIT', 0, 500)
    if #found == 0 then return ended end
    ended = true
    for at = 1, #found, 2 do
      local refund, detail = string.match(found[at], '^[^:]*:(%d+):(%-?%d+)$')
      refund_hold(tonumber(refund), tonumber(detail), tonumber(found[at + 1]))
      redis.call('ZREM', counter.holds, found[at])
    end
  end
end
`
