import { eventFrame } from '../../replay/event-frames.ts'

/** One event as a frame, with a padding whose length varies. */
export function frame(type: string, payload: object): Uint8Array {
  const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ01234567'
  const p = letters.slice(0, 4 + (JSON.stringify(payload).length % 50))
  return eventFrame(type, { ...payload, p })
}
