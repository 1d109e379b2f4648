/** Gives what is kept. Key: its name. */
export const getAnswer = `return redis.call('GET', KEYS[1])`

/** Keeps a text. Key: its name. Arguments: the text, its time in milliseconds. Answers 1. */
export const setAnswer = `
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
`

/** Keeps a text where nothing is kept; gives what is kept where something is. Keys and arguments: as to set. */
export const addAnswer = `
local kept = redis.call('GET', KEYS[1])
if kept then return kept end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return false
`

/**
 * Keeps a text in place of just the one that is told, or nothing. Key: its name. Arguments: the text that has to be
 * there, the other's time in milliseconds, the other where there is one. Answers 1 where it was there, 0 where not.
 */
export const replaceAnswer = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
if #ARGV == 2 then
  redis.call('DEL', KEYS[1])
else
  redis.call('SET', KEYS[1], ARGV[3], 'PX', ARGV[2])
end
return 1
`
