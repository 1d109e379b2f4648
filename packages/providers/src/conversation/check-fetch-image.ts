/** Throws `TypeError` for a fetcher of images that is no function. */
export function checkFetchImage(fetchImage: unknown, owner: string): void {
  if (fetchImage === undefined || typeof fetchImage === 'function') return
  throw new TypeError(`${owner}: fetchImage has to be a function, not ${typeof fetchImage}.`)
}
