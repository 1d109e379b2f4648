import {
  apiKeys,
  concurrent,
  createGateway,
  type LimitRuleData,
  models,
  requests,
  tokens,
} from '@sluice/core'
import { serve } from '@sluice/node'
import { openai } from '@sluice/providers'

// The service that bench/workers.ts measures: by one process, or by a primary with workers, with limits or without.

const { UPSTREAM, WORKERS, LIMITS } = process.env
const vendor = openai({ apiKey: 'sk-upstream', baseURL: `${UPSTREAM}/v1` })
const rules: readonly LimitRuleData[] =
  LIMITS === '1'
    ? [requests(1_000_000).per('second'), tokens(1_000_000_000).per('second'), concurrent(10_000)]
    : []
const gateway = createGateway({
  authenticate: apiKeys([{ id: 'ann', key: 'sk-ann' }]),
  route: models({ 'gpt-4o': vendor('gpt-4o-2024-08-06') }),
  limits: rules,
})
const serving = await serve(gateway, { port: 0, workers: Number(WORKERS) })
if (serving.role !== 'worker') console.log(serving.url)
