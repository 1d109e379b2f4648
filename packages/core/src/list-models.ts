import type { Answer, FetchContext } from './host.ts'
import type { ResolvedOptions } from './options/resolve.ts'
import { modelNotFound } from './protocol/model-refusals.ts'
import { authenticate, type Principal } from './stages/authenticate.ts'
import { authorize } from './stages/authorize.ts'
import { respondJson } from './stages/respond.ts'
import type { ModelCard } from './stages/route.ts'

/** `GET /models`: the models that the caller may use (protocol section 6). */
export async function listModels<Host>(
  request: Request,
  context: FetchContext<Host>,
  options: ResolvedOptions<Host>,
  requestId: string,
): Promise<Answer> {
  const principal = await identify(request, context, options)
  const data: object[] = []
  for (const card of options.route.list?.() ?? []) {
    if (await options.authorize(principal, card.id)) data.push(modelObject(card))
  }
  return respondJson(200, { object: 'list', data }, requestId)
}

/** `GET /models/{id}`. Throws 404, and 403 for a model that the caller may not use. */
export async function showModel<Host>(
  request: Request,
  id: string,
  context: FetchContext<Host>,
  options: ResolvedOptions<Host>,
  requestId: string,
): Promise<Answer> {
  const principal = await identify(request, context, options)
  const card = options.route.list?.().find(known => known.id === id)
  if (card === undefined) throw modelNotFound(id)
  await authorize(principal, id, options.authorize)
  return respondJson(200, modelObject(card), requestId)
}

async function identify<Host>(
  request: Request,
  context: FetchContext<Host>,
  options: ResolvedOptions<Host>,
): Promise<Principal> {
  const principal = await authenticate(request, context.host, options.authenticate)
  context.identified?.(principal)
  return principal
}

function modelObject({ id, created, owned_by }: ModelCard): object {
  return { id, object: 'model', created, owned_by }
}
