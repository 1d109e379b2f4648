import type { FetchedImage } from './guarded-fetch.ts'

/** How much one request may have fetched. */
export interface RequestBudget {
  readonly maxImages: number
  readonly maxTotalBytes: number
}

type Fetch = (url: string, signal: AbortSignal) => Promise<FetchedImage>

/**
 * Bounds what is fetched for one request, so that a message with a thousand links asks nobody a thousand times and
 * fills no memory. A request is known by its signal: each has one of its own.
 */
export function withinBudget(fetchImage: Fetch, { maxImages, maxTotalBytes }: RequestBudget): Fetch {
  const requests = new WeakMap<AbortSignal, { images: number; bytes: number }>()
  return async (url, signal) => {
    const spent = requests.get(signal) ?? { images: 0, bytes: 0 }
    requests.set(signal, spent)
    spent.images += 1
    if (spent.images > maxImages) throw new Error(`The request has links to more than ${maxImages} images.`)
    const image = await fetchImage(url, signal)
    spent.bytes += image.data.length
    if (spent.bytes <= maxTotalBytes) return image
    throw new Error(`The images of the request have more than ${maxTotalBytes} bytes in all.`)
  }
}
