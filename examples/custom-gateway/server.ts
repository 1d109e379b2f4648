import { apiKeys, createGateway, models, requests } from '@sluice/core'
import { serve } from '@sluice/node'
import { banner } from './banner.ts'
import { catalogue } from './catalogue.ts'
import { logLine } from './log-line.ts'
import { readSettings } from './settings.ts'

try {
  const { host, port, key, minted, vendors } = readSettings(process.env)
  const table = catalogue(vendors)
  const gateway = createGateway({
    authenticate: apiKeys([{ id: 'me', key }]),
    route: models(table),
    limits: requests(60).per('minute'),
    observe: event => {
      const line = logLine(event)
      if (line !== undefined) console.log(line)
    },
  })
  const { url } = await serve(gateway, { host, port })
  // The address that means "all of them" is none to call.
  const baseURL = `${url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')}/v1`
  const limit = '60 requests a minute'
  console.log(banner({ baseURL, key, minted, limit, models: table }))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  if (isPortTaken(error)) console.error('Set PORT to another one; PORT=0 takes a free one.')
  process.exitCode = 1
}

function isPortTaken(error: unknown): boolean {
  return error instanceof Error && (error.cause as NodeJS.ErrnoException | undefined)?.code === 'EADDRINUSE'
}
