export { type OpenApiDocument, type OpenApiOptions, openApiDocument } from './openapi/document.ts'
export { openApi } from './openapi/open-api.ts'
