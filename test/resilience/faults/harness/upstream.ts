import { type Script, startUpstream, type Upstream } from '@sluice/testing'
import { onTestFinished } from 'vitest'

/** A scripted upstream until the test ends. */
export async function upstreamDuring(...scripts: Script[]): Promise<Upstream> {
  const upstream = await startUpstream(...scripts)
  onTestFinished(() => upstream.close())
  return upstream
}
