import { completion, steps } from '@sluice/testing'
import { onTestFinished } from 'vitest'
import { upstreamDuring } from './upstream.ts'

/** A vendor that answers nobody before `open` is called. */
export async function waitingVendor() {
  let open = () => {}
  const opened = new Promise<void>(resolve => {
    open = resolve
  })
  onTestFinished(() => open())
  const upstream = await upstreamDuring(async () => {
    await opened
    return steps.reply(completion())
  })
  return { upstream, open }
}
