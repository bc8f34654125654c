// From gitleaks (https://github.com/gitleaks/gitleaks), config/gitleaks.toml. Its rules for keys that begin in a way of their
// own are among ours.

const ALNUM = '[a-z\\d]';
const WORD = '[\\w=-]';
const HEX = '[\\da-f]';

/**
 * Keys that look like any other: what a value looks like, by the names it must be assigned to. Left out are ids of clients
 * in digits (Asana, Discord), which correlate, and need not be hidden.
 */
export const ASSIGNED: Readonly<Record<string, string>> = {
  [`${HEX}{24}`]: 'kucoin',
  [`${HEX}{32}`]: 'adobe|facebook|finicity|linear',
  [`${HEX}{37}`]: 'cloudflare',
  [`${HEX}{40}`]: 'meraki|sendbird|sourcegraph',
  [`${HEX}{64}`]: 'discord|sentry',
  [`${HEX}{8}(?:-${HEX}{4}){3}-${HEX}{12}`]: 'heroku|hubspot|kucoin|message[_-]?bird|sendbird|snyk|squarespace',
  [`${ALNUM}{14}`]: 'linked[_-]?in',
  [`${ALNUM}{15}`]: 'dropbox',
  [`${ALNUM}{16}`]: 'confluent|linked[_-]?in',
  [`${ALNUM}{17}`]: 'airtable',
  [`${ALNUM}{20}`]: 'finicity|finnhub|looker',
  [`${ALNUM}{22}`]: 'travis',
  [`${ALNUM}{24}`]: 'atlassian|confluence|etsy|jira|looker|plaid',
  [`${ALNUM}{25}`]: 'message[_-]?bird|twitter',
  [`${ALNUM}{26}`]: 'mattermost',
  [`${ALNUM}{30}`]: 'alibaba|plaid|twitch',
  [`${ALNUM}{32}`]: 'algolia|asana|bitbucket|bittrex|codecov|droneci|flickr|private[_-]?ai',
  [`${ALNUM}{40}`]: 'co_api_key|cohere|datadog|zendesk',
  [`${ALNUM}{45}|${ALNUM}{50}|\\d{15,25}-${ALNUM}{20,40}|A{22}[a-z\\d%]{80,100}`]: 'twitter',
  [`${ALNUM}{64}`]: 'artifactory|bintray|confluent|freshbooks|jfrog|new[_-]?relic|sumo|xray',
  [`${ALNUM}{73}`]: 'artifactory|bintray|jfrog|xray',
  [`${WORD}{32}`]: 'adafruit|discord|fastly|new-?york-?times|nytimes',
  [`${WORD}{40}`]: 'cloudflare|gitter|launchdarkly|sonar',
  [`${WORD}{43}`]: 'contentful',
  [`${WORD}{40,46}`]: 'netlify',
  [`${WORD}{50}`]: 'rapidapi',
  [`${WORD}{60}`]: 'intercom',
  [`${WORD}{64}`]: 'bitbucket|coinbase',
  '[\\w=/+-]{80,90}': 'kraken',
  [`b_${WORD}{44}`]: 'beamer',
  [`dnkey-${WORD}{79}`]: 'dnkey',
  [`${ALNUM}{11}A{10}${WORD}{43}|sl\\.${WORD}{135}`]: 'dropbox',
  [`live_${WORD}{40}`]: 'gocardless',
  [`(?:live|test)_(?:${HEX}{35}|pub_${HEX}{31})`]: 'lob',
  'pubkey-[\\da-f]{32}|[\\da-h]{32}(?:-[\\da-h]{8}){2}': 'mailgun',
  [`pk\\.${ALNUM}{60}\\.${ALNUM}{22}`]: 'mapbox',
  [`NRJS-${HEX}{19}|NRII-[a-z\\d-]{32}`]: 'new[_-]?relic',
  [`00${WORD}{40}`]: 'okta',
  [`${HEX}{8}:${HEX}{8}`]: 'contribsys__com',
  [`sq[apu]_${WORD}{40}`]: 'sonar',
  [`su${ALNUM}{12}`]: 'sumo',
  '\\d{5,16}:A[\\w-]{34}': 'telegr',
  'tfp_[\\w.=-]{59}': 'typeform',
  't1\\.[\\w-]{1,99}={0,2}\\.[\\w-]{86}={0,2}|AQVN[\\w-]{35,38}|YC[\\w-]{38}': 'yandex',
};
