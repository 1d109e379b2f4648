import { gemini } from '@sluice/providers'
import type { ReplayedVendor } from '../vendors.ts'

export const geminiReplay: ReplayedVendor = {
  connect: (origin, options) => gemini({ apiKey: 'test-key', baseURL: `${origin}/v1beta`, ...options }),
  model: 'gemini-2.5-flash',
  headers: { 'x-goog-api-key': 'test-key', 'content-type': 'application/json' },
}
