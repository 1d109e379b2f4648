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
    const failed = (error: unknown) => {
      if (over) return
      detach()
      res.destroy()
      reject(error)
    }
    const waitForDrain = () => {
      const cancel = cutOffAfter(res, stallMs)
      wake = () => {
        wake = undefined
        cancel()
        if (!over) read()
      }
    }
    const end = () => {
      detach()
      res.end()
      endWithin(res, stallMs)
      resolve()
    }
    // Not a loop of an async function: while one waits, it keeps the text that it has written last.
    const read = () => {
      try {
        iterator.next().then(took, failed)
      } catch (error) {
        failed(error)
      }
    }
    const took = (step: IteratorResult<string | Uint8Array>) => {
      if (over) return
      try {
        // Its host has ended it, such as a middleware that limits time: one more write would be an error event.
        if (res.writableEnded) closed()
        else if (step.done === true) end()
        else if (step.value.length === 0 || write(step.value)) read()
        else if (!over) waitForDrain()
      } catch (error) {
        failed(error)
      }
    }
    const write = (piece: string | Uint8Array): boolean => {
      const taken = res.write(piece)
      flush?.call(res)
      return taken && !over
    }

    res.on('drain', drained).on('close', closed)
    res.flushHeaders()
    read()
  })
}
