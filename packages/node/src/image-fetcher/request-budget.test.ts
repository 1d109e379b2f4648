import { describe, expect, it } from 'vitest'
import { withinBudget } from './request-budget.ts'

const budget = { maxImages: 3, maxTotalBytes: 100 }
const signalOf = () => new AbortController().signal

/** An image has as many bytes as its link says. */
function fetcher() {
  const asked: string[] = []
  const fetchImage = withinBudget(async url => {
    asked.push(url)
    return { mediaType: 'image/png', data: new Uint8Array(Number(url)) }
  }, budget)
  return { fetchImage, asked }
}

describe('withinBudget', () => {
  it('counts the images of each request, and asks for no more', async () => {
    const { fetchImage, asked } = fetcher()
    const signal = signalOf()
    for (const url of ['1', '2', '3']) expect((await fetchImage(url, signal)).data).toHaveLength(Number(url))
    await expect(fetchImage('4', signal)).rejects.toThrow('links to more than 3 images')
    expect(asked).toEqual(['1', '2', '3'])
    await fetchImage('5', signalOf())
  })

  it('counts images at the same time', async () => {
    const { fetchImage, asked } = fetcher()
    const signal = signalOf()
    const all = await Promise.allSettled(['1', '1', '1', '1', '1'].map(url => fetchImage(url, signal)))
    expect(all.map(({ status }) => status)).toEqual([
      ...Array(3).fill('fulfilled'),
      ...Array(2).fill('rejected'),
    ])
    expect(asked).toHaveLength(3)
  })

  it('counts the bytes of each request', async () => {
    const { fetchImage } = fetcher()
    const signal = signalOf()
    await fetchImage('60', signal)
    await expect(fetchImage('41', signal)).rejects.toThrow('more than 100 bytes in all')
    const other = signalOf()
    await fetchImage('60', other)
    await fetchImage('40', other)
  })
})
