/** The windows of the calendar in UTC, each known by its number; `ever` has one, without an end. */
export const calendar = `
local SPANS = { hour = HOUR, day = 24 * HOUR, week = 168 * HOUR }
-- The first Monday after 1970 began, on a Thursday.
local MONDAY = 96 * HOUR

-- Years that begin in March: the leap day is their last. After H. Hinnant, "chrono-Compatible Low-Level Date Algorithms".
local function month_at(at)
  local days = math.floor(at / SPANS.day) + 719468
  local era = math.floor(days / 146097)
  local day = days - era * 146097
  local leap = math.floor(day / 1460) - math.floor(day / 36524) + math.floor(day / 146096)
  local year = math.floor((day - leap) / 365)
  local of_year = day - (365 * year + math.floor(year / 4) - math.floor(year / 100))
  return (era * 400 + year) * 12 + math.floor((5 * of_year + 2) / 153)
end

local function month_start(index)
  local year = math.floor(index / 12)
  local leap = math.floor(year / 4) - math.floor(year / 100) + math.floor(year / 400)
  local of_year = math.floor((153 * (index - year * 12) + 2) / 5)
  return (365 * year + leap + of_year - 719468) * SPANS.day
end

local function window_at(window, at)
  if window == 'ever' then return 0 end
  if window == 'month' then return month_at(at) end
  return math.floor((at - (window == 'week' and MONDAY or 0)) / SPANS[window])
end

local function window_start(window, index)
  if window == 'ever' then return math.huge end
  if window == 'month' then return month_start(index) end
  return index * SPANS[window] + (window == 'week' and MONDAY or 0)
end
`
