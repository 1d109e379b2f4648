import { createRequire } from 'node:module'
import { expect, it, onTestFinished } from 'vitest'
import { measureLengths } from '../../bench/streams/measure.ts'

const kib = 1_024

// 27 KiB of what is built, of which 14 are the sockets: as much as of a proxy that does nothing else. The loader of the sources
// adds 6. What grew with each event would show after 1,000.
it('an open stream that is silent holds at most 40 KiB, however long it was', async () => {
  process.env.SUBJECT_FLAGS = `--import ${createRequire(import.meta.url).resolve('tsx')} --conditions=@sluice/source`
  onTestFinished(() => {
    delete process.env.SUBJECT_FLAGS
  })
  for (const bytes of await measureLengths([1, 1_000], { count: 200 })) expect(bytes).toBeLessThan(40 * kib)
})
