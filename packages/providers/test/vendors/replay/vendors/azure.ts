import { azure } from '@sluice/providers'
import type { ReplayedVendor } from '../vendors.ts'

export const azureReplay: ReplayedVendor = {
  connect: (origin, options) => azure({ apiKey: 'test-key', baseURL: origin, ...options }),
  model: 'gpt-4o',
  headers: { 'api-key': 'test-key', 'content-type': 'application/json' },
}
