import { createGateway, models } from '@sluice/core'
import type { Target } from '@sluice/core/provider'
import { type Script, startUpstream, steps } from '@sluice/testing'
import { onTestFinished } from 'vitest'

/** Returns a target at a vendor's address. */
export type At = (baseURL: string) => Target

/**
 * Sends a request through a gateway. Returns the bodies that the vendor got, as texts, the response, and its adjustments.
 *
 * @param script - what the vendor answers. Default: a 400.
 */
export async function exchanged(
  at: At,
  path: string,
  body: object,
  script: Script = steps.reply({}, { status: 400 }),
) {
  const upstream = await startUpstream(script)
  const gateway = createGateway({
    authenticate: () => ({ id: 'ann' }),
    route: models({ m: at(upstream.baseURL) }),
  })
  onTestFinished(async () => {
    await gateway.close({ drainMs: 1 })
    await upstream.close()
  })
  const response = await gateway.fetch(
    new Request(`http://gateway${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', ...body }),
    }),
  )
  const adjustments = response.headers.get('x-sluice-adjustments')
  return { sent: upstream.requests.map(({ body }) => body), answer: await response.text(), adjustments }
}
