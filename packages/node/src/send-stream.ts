import type { ServerResponse } from 'node:http'
import { flusherOf } from './flusher.ts'
import { closeIterator } from './response-parts.ts'
import { cutOffAfter, endWithin } from './write-stall.ts'

/** Writes a stream to a response whose head is set. See `send`. */
export function sendStream(
  body: AsyncIterable<string | Uint8Array>,
  res: ServerResponse,
  stallMs: number,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const iterator = body[Symbol.asyncIterator]()
    const flush = flusherOf(res)
    let over = false
    let wake: (() => void) | undefined

    // One listener for the entire stream: `compression` never removes a `drain` listener.
    const drained = () => wake?.()
    const detach = () => {
      over = true
      res.off('drain', drained).off('close', closed)
    }
    const closed = () => {
      detach()
      wake?.()
      closeIterator(iterator)
      resolve()
    }
    const waitForDrain = () =>
      new Promise<void>(free => {
        const cancel = cutOffAfter(res, stallMs)
        wake = () => {
          wake = undefined
          cancel()
          free()
        }
      })
    const pump = async () => {
      for (;;) {
        const step = await iterator.next()
        if (over) return
        // Its host has ended it, such as a middleware that limits time: one more write would be an error event.
        if (res.writableEnded) return closed()
        if (step.done === true) break
        if (step.value.length === 0) continue
        const taken = res.write(step.value)
        flush?.call(res)
        if (!taken) await waitForDrain()
        if (over) return
      }
      detach()
      res.end()
      endWithin(res, stallMs)
      resolve()
    }

    res.on('drain', drained).on('close', closed)
    res.flushHeaders()
    pump().catch(error => {
      if (over) return
      detach()
      res.destroy()
      reject(error)
    })
  })
}
