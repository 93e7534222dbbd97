"""How each maker's keys begin, and what follows. One table, used by `shapes` for its search.

Makers choose prefixes so that a lost key can be found, and what follows is longer than any word. Each
provider that `acp_trace.model.recognition` knows has a row here, or a reason in `NO_SHAPE`: a test compares
both. The facts are from the makers' documentation and from the lists of secret scanners.
"""

from __future__ import annotations

from string import ascii_lowercase
from typing import Literal, NamedTuple

#: Classes of characters. A class with `-` also holds words joined by hyphens: see `Maker.opaque`.
PLAIN, WORD, DASHED, DOTTED = "A-Za-z0-9", "A-Za-z0-9_", "A-Za-z0-9_-", "A-Za-z0-9._-"
UPPER, LOWER, HEX, BASE64 = "A-Z0-9", "a-z0-9", "0-9a-f", "A-Za-z0-9+/=_-"


#: Names in programs consist of the same characters as keys, but keys are random. `digit`: the key contains a
#: digit. `random`: also a capital letter, or 16 letters and digits in a row. `mixed`: also a capital letter.
Needs = Literal["", "digit", "random", "mixed"]


class Maker(NamedTuple):
    """Keys of one maker: each of `prefixes`, then at least `least` characters of the class `of`."""

    name: str
    prefixes: tuple[str, ...]
    least: int
    of: str = PLAIN  #: the characters of the key after its prefix, as in a set of a regular expression
    #: What distinguishes a key from joined words: see `Needs`.
    needs: Needs = ""
    most: int | None = None  #: a longer word is not a key
    then: str = ""  #: a regular expression for what follows
    inside: bool = False  #: also found inside a longer word, because no word contains the prefix
    providers: tuple[str, ...] = ()  #: the providers in `recognition` whose keys begin like this


def _maker(name: str, prefixes: str, least: int, of: str = PLAIN, **more: object) -> Maker:
    return Maker(name, tuple(prefixes.split()), least, of, **more)  # type: ignore[arg-type]


_SK = ("openai", "openrouter", "deepseek", "moonshot", "alibaba", "opencode")
MAKERS = (
    # Language models.
    _maker("OpenAI, and others with its prefix", "sk-", 16, DASHED, needs="digit", providers=_SK),
    _maker("OpenAI", "sess-", 24, needs="mixed"),
    _maker("OpenAI", "ek_", 24, needs="random"),
    _maker("Anthropic", "sk-ant-", 16, DASHED, inside=True, providers=("anthropic",)),
    _maker("OpenAI", "sk-proj- sk-svcacct- sk-admin- sk-or-v1-", 16, DASHED, inside=True),
    _maker("Alibaba", "LTAI", 12, most=30, providers=("alibaba",)),
    _maker("AWS Bedrock", "ABSK", 40, BASE64, providers=("bedrock",)),
    _maker("AWS Bedrock", "bedrock-api-key-", 20, BASE64, inside=True),
    _maker("Cerebras", "csk- csk_", 20, needs="random", providers=("cerebras",)),
    _maker("Fireworks", "fw_", 20, needs="random", providers=("fireworks",)),
    _maker("Google", "AIza", 35, DASHED, most=35, providers=("google", "gemini")),
    _maker("Google", "AQ.", 20, DASHED, needs="random"),
    _maker("Google", "1//0 4/0A", 24, DASHED, needs="random"),
    _maker("Google", "ya29.", 20, DOTTED, providers=("vertex",)),
    _maker("Google", "GOCSPX-", 20, DASHED),
    _maker("Groq", "gsk_", 20, needs="random", providers=("groq",)),
    _maker("Hugging Face", "hf_ api_org_", 30, providers=("huggingface",)),
    _maker("Jina", "jina_", 24, DASHED, needs="random"),
    _maker("NVIDIA", "nvapi-", 32, DASHED),
    _maker("Perplexity", "pplx-", 32),
    _maker("Replicate", "r8_", 24),
    _maker("Together", "tgp_v1_", 20, DASHED, providers=("together",)),
    _maker("Vercel", "vck_ vcp_ vci_ vca_ vcr_", 20, WORD, needs="random"),
    _maker("Voyage", "pa- al-", 32, DASHED, needs="random"),
    _maker("xAI", "xai-", 32, providers=("xai",)),
    # Tools of agents, and of those who build them.
    _maker("Browserbase", "bb_live_", 16, DASHED),
    _maker("Composio", "ak_", 20, DASHED, needs="random"),
    _maker("Context7", "ctx7sk-", 16, DASHED),
    _maker("Cursor", "crsr_", 32),
    _maker("Cursor", "key_", 40, HEX),
    _maker("E2B", "e2b_", 32),
    _maker("ElevenLabs", "sk_", 40, HEX),
    _maker("Firecrawl", "fc-", 32, HEX),
    _maker("LangSmith", "lsv2_pt_ lsv2_sk_ ls__", 24, WORD),
    _maker("Modal", "ak- as-", 20, needs="mixed"),
    _maker("Pinecone", "pcsk_", 32, WORD),
    _maker("Runpod", "rpa_", 32),
    _maker("Sourcegraph", "sgp_ sgamp_", 32, WORD),
    _maker("Tavily", "tvly-", 16, DASHED, needs="random"),
    _maker("Weights & Biases", "wandb_v1_", 24, WORD),
    # Code, packages, clouds.
    _maker("1Password", "ops_eyJ", 64, BASE64),
    _maker("age", "AGE-SECRET-KEY-1", 50, UPPER),
    _maker("Artifactory", "AKCp", 40),
    _maker("Atlassian", "ATATT3 ATCTT3", 20, BASE64),
    _maker("AWS", "AKIA ASIA ABIA ACCA", 16, UPPER, most=16),
    _maker("Cloudflare", "cfk_ cfut_ cfat_", 40),
    _maker("Databricks", "dapi", 32, HEX, then=r"(?:-\d)?"),
    _maker("DigitalOcean", "dop_v1_ doo_v1_ dor_v1_", 32, HEX),
    _maker("Docker", "dckr_pat_ dckr_oat_", 20, DASHED),
    _maker("Doppler", "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.", 32, DOTTED),
    _maker("Dynatrace", "dt0c01. dt0s01. dt0s16.", 24, DOTTED),
    _maker("Figma", "figd_ figu_", 32, DASHED),
    _maker("Fly", "fo1_ fm1r_ fm1a_ fm2_", 40, BASE64),
    _maker("GitHub", "ghp_ gho_ ghu_ ghs_ ghr_", 20, providers=("github",)),
    _maker("GitHub", "ghp_ gho_ ghu_ ghs_ ghr_", 36, inside=True),
    _maker("GitHub", "github_pat_", 22, WORD, inside=True),
    _maker("GitHub Copilot", "tid=", 16, then=r"(?:;[\w.-]{1,20}=[\w.:/+%-]{0,1000}){2,40}"),
    _maker(
        "GitLab",
        "glpat- gldt- glrt- glrtr- glcbt- glptt- glft- glimt- glagent- gloas- glsoat- glffct- glwt-",
        16,
        DASHED,
        then=r"(?:\.[0-9a-z]{2}(?=\.))?(?:\.[0-9a-z]{9}(?![0-9A-Za-z]))?",
        inside=True,
    ),
    _maker("GitLab", "GR1348941", 16, DASHED, inside=True),
    _maker("Grafana", "glc_ glsa_", 32, BASE64),
    _maker("HashiCorp Vault", "hvs. hvb. hvr.", 24, DASHED),
    _maker("Heroku", "HRKU-", 32, DASHED),
    _maker("Linear", "lin_api_ lin_oauth_", 32),
    _maker("Mailgun", "key-", 32, HEX),
    _maker("Netlify", "nfp_", 36),
    _maker("New Relic", "NRAK- NRII- NRJS-", 19, DASHED),
    _maker("Notion", "ntn_", 40),
    _maker("Notion", "secret_", 40, needs="random"),
    _maker("npm", "npm_", 36),
    _maker("PlanetScale", "pscale_tkn_ pscale_oauth_ pscale_pw_", 32, DOTTED),
    _maker("Postman", "PMAK-", 24, DASHED),
    _maker("Prefect", "pnu_ pnb_", 36),
    _maker("Pulumi", "pul-", 40, HEX),
    _maker("PyPI", "pypi-", 32, DASHED),
    _maker("RubyGems", "rubygems_", 32, HEX),
    _maker("SendGrid", "SG.", 16, DASHED, then=r"\.[A-Za-z0-9_-]{16,}"),
    _maker("Sentry", "sntrys_ sntryu_", 40, BASE64),
    _maker("Shopify", "shpat_ shpca_ shppa_ shpss_", 32),
    _maker(
        "Slack",
        " ".join(f"xox{letter}-" for letter in ascii_lowercase),
        10,
        "A-Za-z0-9-",
        then=r"(?:%2[BbFf][A-Za-z0-9-]*|%3[Dd])*",
    ),
    _maker("Slack", "xapp- xwfp-", 16, "A-Za-z0-9-", needs="random"),
    _maker("Square", "sq0atp- sq0csp-", 22, DASHED),
    _maker("Stripe", "sk_live_ sk_test_ rk_live_ rk_test_ sk_org_", 16, WORD),
    _maker("Stripe", "whsec_", 20, BASE64),
    _maker("Supabase", "sbp_ sb_secret_", 20, DASHED),
)

#: Providers whose keys look like any other word: only the name of a variable or a header identifies them.
NO_SHAPE = {
    "mistral": "32 letters and digits",
}
#: Providers whose keys have no prefix, but a shape of their own: see `shapes`.
WITHOUT_PREFIX = {
    "azure": "the mark of Microsoft's keys in the middle",
    "zhipu": "32 hexadecimal digits, a dot, the secret",
    "ollama": "32 hexadecimal digits, a dot, the secret",
}

#: A sign -> the expression that finds a key by it: keys that do not begin with their sign, or have parts. The
#: last group is the secret.
_START = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))"
ODD = {
    "eyJ": _START + r"eyJ[A-Za-z0-9_-]{8,2000}+\.eyJ[A-Za-z0-9_-]{8,16000}+\.[A-Za-z0-9_-]*",  # JWT
    # Keys of Azure (Common Annotated Security Keys): 84 characters with this mark inside.
    "JQQJ9": _START + r"[A-Za-z0-9]{52}JQQJ9\d[A-Za-z0-9]{16,}",
    "Q~": _START + r"[\w~.]{3}\dQ~[\w~.-]{31,34}(?![\w~])",  # client secrets of Entra
    "hooks.slack.com/services/": r"hooks\.slack\.com/services/T\w{6,}/B\w{6,}/([A-Za-z0-9]{16,})",
}
