import { serve } from '@sluice/node'
import OpenAI from 'openai'
import { expect, it, onTestFinished } from 'vitest'
import { startGatedVendor } from '../conformance/inbound/gated-vendor.ts'
import { testGateway } from '../conformance/inbound/over-places.ts'

async function started() {
  const vendor = await startGatedVendor()
  const outcomes: string[] = []
  const gateway = testGateway(vendor.table, {
    observe: event => void (event.type === 'end' && outcomes.push(event.outcome)),
  })
  const served = await serve(gateway, { port: 0 })
  onTestFinished(() => served.close({ drainMs: 1 }))
  const client = new OpenAI({ baseURL: `${served.url}/v1`, apiKey: 'good-key', maxRetries: 0 })
  return { vendor, outcomes, responses: client.responses }
}

const asked = { model: 'chat', input: 'Hello!', background: true } as const

it('openai creates a response in the background, polls it, and continues it', async () => {
  const { vendor, outcomes, responses } = await started()
  const { id, status } = await responses.create(asked)
  expect(status).toBe('queued')
  expect((await responses.retrieve(id)).status).toBe('in_progress')
  vendor.finish()
  await expect.poll(async () => (await responses.retrieve(id)).status).toBe('completed')
  expect((await responses.retrieve(id)).output_text).toBe('Hello')
  expect(outcomes).toEqual(['completed'])
  const next = await responses.create({ model: 'chat', input: 'Go on.', previous_response_id: id })
  expect(next.status).toBe('completed')
})

it('openai cancels a response in the background', async () => {
  const { vendor, responses } = await started()
  const { id } = await responses.create(asked)
  await expect.poll(() => vendor.bodies.length).toBe(1)
  expect((await responses.cancel(id)).status).toBe('cancelled')
  await expect.poll(() => vendor.aborted).toBe(1)
  expect((await responses.retrieve(id)).status).toBe('cancelled')
})

it('openai follows a stream again from where its connection broke', async () => {
  const { vendor, responses } = await started()
  const first = await responses.create({ ...asked, stream: true })
  let id = ''
  let last = -1
  for await (const event of first) {
    if (event.type === 'response.created') id = event.response.id
    last = event.sequence_number
    if (event.type === 'response.output_text.delta') break
  }
  vendor.say(' again')
  const second = await responses.retrieve(id, { stream: true, starting_after: last })
  const numbers: number[] = []
  let text = ''
  for await (const event of second) {
    numbers.push(event.sequence_number)
    if (event.type === 'response.output_text.delta') {
      text += event.delta
      vendor.finish()
    }
    if (event.type === 'response.completed') expect(event.response.output_text ?? '').toBe('')
  }
  expect(text).toBe(' again')
  expect(numbers).toEqual(numbers.map((_, at) => last + 1 + at))
  expect((await responses.retrieve(id)).output_text).toBe('Hello again')
})
