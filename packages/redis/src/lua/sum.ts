/** A sum over a calendar window, stored as `window:sum`. A new window begins with the excess over the limit. */
export const sum = `
local sum = {}
local TEN_YEARS = 3650 * SPANS.day

function sum.load(counter)
  local index, stored = string.match(redis.call('GET', counter.state) or '', '^(%-?%d+):(%d+)$')
  counter.index = window_at(counter.window, now)
  counter.sum = tonumber(stored or 0)
  index = tonumber(index or counter.index)
  -- Refunds claims that expired in the stored window. A later window has not counted them.
  counter.changed = end_expired(counter, function(refund, window, expired)
    if window == index and window_at(counter.window, expired) == index then counter.sum = counter.sum - refund end
  end)
  counter.sum = math.max(0, counter.sum - math.max(0, counter.index - index) * counter.limit)
  counter.index = math.max(counter.index, index)
end

-- Microseconds until enough windows have passed to pay off the amount.
local function span_of(counter, needed)
  return window_start(counter.window, counter.index + math.max(1, math.ceil(needed / counter.limit))) - now
end

function sum.store(counter)
  if counter.sum == 0 then return redis.call('DEL', counter.state) end
  local span = math.min(span_of(counter, counter.sum), TEN_YEARS)
  redis.call('SET', counter.state, text(counter.index) .. ':' .. text(counter.sum), 'PX', ttl_ms(span))
  keep(counter.holds, span)
end

function sum.is_over(counter) return counter.sum + counter.take > counter.limit end

function sum.take(counter, id, ttl)
  counter.sum = counter.sum + counter.take
  hold(counter, held_as(id, counter, window_at(counter.window, now)), ttl)
  sum.store(counter)
end

function sum.settle(counter, id, admitted, live)
  local index = window_at(counter.window, admitted)
  if live then redis.call('ZREM', counter.holds, held_as(id, counter, index)) end
  sum.load(counter)
  local more = counter.charged - (live and counter.take or counter.take - counter.refund)
  if more > 0 or index == counter.index then counter.sum = math.min(math.max(0, counter.sum + more), MOST) end
  sum.store(counter)
end

function sum.usage(counter, over)
  local reset = counter.sum == 0 and 0 or span_of(counter, counter.sum)
  local wait = over and span_of(counter, counter.sum + counter.take - counter.limit) or 0
  if counter.take > counter.limit or wait == math.huge then wait = NEVER end
  return counter.sum, reset == math.huge and NEVER or reset, wait
end
`
