import type { RequestLimits } from '@sluice/core'
import { defaultRequestLimits } from '../../../packages/core/src/gateway/config.ts'

const limits: RequestLimits = { ...defaultRequestLimits, maxBytes: 10_000 }
const small = { ...limits, maxBytes: 60 }

/** Bodies that were once read in two ways. */
export const intakeExamples = [
  // Half of a surrogate pair in a key, which only the bytes were refused for.
  { bytes: Buffer.from('{"model":"m","extra":{"\\ud800":0}}'), limits },
  // As a value these are longer than their bytes.
  { bytes: Buffer.from('{"model":"vendor/x","vendor_key":{"a":[null]},"extra":1e5}'), limits: small },
  { bytes: Buffer.from('1e400'), limits },
]
