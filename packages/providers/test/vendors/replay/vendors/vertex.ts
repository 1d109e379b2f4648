import { vertex } from '@sluice/providers'
import type { ReplayedVendor } from '../vendors.ts'

export const vertexReplay: ReplayedVendor = {
  connect: (origin, options) =>
    vertex({
      project: 'test-project',
      location: 'us-central1',
      token: 'test-key',
      baseURL: `${origin}/v1`,
      ...options,
    }),
  model: 'gemini-2.5-flash',
  headers: { authorization: 'Bearer test-key', 'content-type': 'application/json' },
}
