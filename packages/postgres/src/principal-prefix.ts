/** SQL for the indexed part of a principal's id: a full id can exceed the maximum size of an index entry. */
export function principalPrefix(principal: string): string {
  return `left(${principal}, 64)`
}
