/**
 * Maps items in their order, at most `limit` at a time. Rejects with the first failure, after which no further item is
 * begun.
 */
export async function mapConcurrently<Item, Result>(
  items: readonly Item[],
  limit: number,
  map: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = []
  let next = 0
  let failed = false
  const work = async () => {
    while (next < items.length && !failed) {
      const at = next++
      try {
        results[at] = await map(items[at]!)
      } catch (error) {
        failed = true
        throw error
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, work))
  return results
}
