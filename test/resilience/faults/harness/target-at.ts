import type { Target } from '@sluice/core'
import { openaiCompatible } from '@sluice/providers'
import { upstreamKey } from './service.ts'

/** A target that speaks the protocol at this base URL; several of them make a list to fall back on. */
export function targetAt({ baseURL }: { readonly baseURL: string }): Target {
  return openaiCompatible({ name: 'vendor', baseURL, apiKey: upstreamKey })('its-model')
}
