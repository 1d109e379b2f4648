import { serve } from '@sluice/node'
import { fullGateway } from '../gateway.mjs'

export async function start(upstream) {
  const { port } = await serve(fullGateway(upstream), { port: 0, signals: false })
  return port
}
