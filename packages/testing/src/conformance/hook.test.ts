import type { Hook } from '@sluice/core'
import { describe, expect, it } from 'vitest'
import { hookConformance } from './hook.ts'

const word = 'secret'
const samples = { requests: ['my secret', 'nothing'], responses: ['a secret, and a secret', 'secre', 'none'] }

/** Hides a word from models, and in what they write. */
const good = (): Hook => ({
  name: 'hide',
  onRequest: ({ texts }) => ({
    edits: texts.map(({ path, text }) => ({ path, value: text.replaceAll(word, '***') })),
  }),
  holdBack: word.length,
  onChunk: ({ text }) => ({
    replacements: [...text.matchAll(/secret/g)].map(({ index }) => ({
      start: index,
      end: index + word.length,
      text: '***',
    })),
  }),
})

const named = (name: string) => hookConformance(samples).find(each => each.name.includes(name))!

describe('hookConformance', () => {
  it.each(hookConformance(samples))('is passed by a good hook: $name', ({ run }) => run(good))

  it.each<[string, string, () => Hook]>([
    [
      'fails for bodies that are invalid',
      'accepts every body',
      () => ({
        ...good(),
        onRequest: ({ body }) => void (body as { messages: { length: number } }).messages.length as undefined,
      }),
    ],
    [
      'decides by chance',
      'same request',
      () => {
        let calls = 0
        return {
          name: 'x',
          onRequest: () => (calls++ % 2 === 0 ? undefined : { refuse: { message: 'No.' } }),
        }
      },
    ],
    ['holds back too little', 'wherever it is cut', () => ({ ...good(), holdBack: 2 })],
    [
      'changes what it is not about',
      'leaves alone',
      () => ({
        name: 'x',
        onChunk: ({ text }) => ({ replacements: [{ start: 0, end: text.length, text: 'x' }] }),
      }),
    ],
    [
      'shares what it knows of one request',
      'keeps requests apart',
      () => {
        let last = ''
        return {
          name: 'x',
          onRequest: async ({ texts }) => {
            last = texts[0]?.text ?? ''
            return undefined
          },
          onResponse: () => ({ texts: [{ choice: 0, text: last }] }),
        }
      },
    ],
    [
      'hangs until its time is over',
      'same request',
      () => ({ name: 'x', timeoutMs: 20, onRequest: () => new Promise<undefined>(() => {}) }),
    ],
  ])('is failed by a hook that %s', async (_, name, make) => {
    await expect(named(name).run(make)).rejects.toThrow()
  })
})
