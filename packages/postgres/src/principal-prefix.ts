/** SQL for what an index holds of a principal's id: the whole of it may be longer than an entry of an index can be. */
export function principalPrefix(principal: string): string {
  return `left(${principal}, 64)`
}
