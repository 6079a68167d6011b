"""Settings. What a deployment may change comes from `CONVVIEWER_*` variables; README lists them."""

from __future__ import annotations

import secrets
from pathlib import Path

import dj_database_url
import django_stubs_ext
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured
from platformdirs import user_data_path

from convviewer.config.env import env_flag, env_int, env_list, env_path, env_text

django_stubs_ext.monkeypatch()

BASE_DIR = Path(__file__).resolve().parents[2]
DATA_DIR = env_path("DATA_DIR", user_data_path("convviewer"))
DEBUG = env_flag("DEBUG")


def _secret_key() -> str:
    """The key of this installation, made once and kept in the data folder."""
    path = DATA_DIR / "secret_key"
    try:
        if not path.exists():
            DATA_DIR.mkdir(parents=True, exist_ok=True)
            path.touch(mode=0o600)
            path.write_text(secrets.token_urlsafe(48))
        return path.read_text()
    except OSError as error:
        raise ImproperlyConfigured(
            f"the data folder {DATA_DIR} cannot be used ({error.strerror}). "
            "Set CONVVIEWER_DATA_DIR to a folder of your own."
        ) from error


SECRET_KEY = env_text("SECRET_KEY", "") or _secret_key()

# Loopback names only, unless the operator says otherwise: a foreign page that rebinds its own
# host name to 127.0.0.1 is refused here.
ALLOW_REMOTE = env_flag("ALLOW_REMOTE")
ALLOWED_HOSTS = ["127.0.0.1", "localhost", "[::1]", *env_list("ALLOWED_HOSTS")]

MAX_UPLOAD_BYTES = env_int("MAX_UPLOAD_MB", 512) * 1_000_000
# A folder of sessions has a file for each message.
DATA_UPLOAD_MAX_NUMBER_FILES = 100_000

INSTALLED_APPS = [
    "django.contrib.staticfiles",
    "django_htmx",
    "template_partials",
    "ninja",
    "csp",
    "convviewer.store.apps.StoreConfig",
    "convviewer.web",
    "convviewer.cli",
    "convviewer.config.apps.ConfigConfig",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.middleware.common.CommonMiddleware",
    "convviewer.web.safety.SameOriginWrites",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]

ROOT_URLCONF = "convviewer.config.urls"
WSGI_APPLICATION = "convviewer.config.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": ["django.template.context_processors.request"],
        },
    }
]

DATABASES = {
    "default": dj_database_url.parse(
        env_text("DATABASE_URL", f"sqlite:///{DATA_DIR / 'convviewer.sqlite3'}"),
        conn_max_age=60,
    )
}
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 30,
        "init_command": (
            "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA cache_size=-65536;"
        ),
    }

DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATIC_ROOT = DATA_DIR / "static"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": (
            "django.contrib.staticfiles.storage.StaticFilesStorage"
            if DEBUG
            else "whitenoise.storage.CompressedManifestStaticFilesStorage"
        )
    },
}
WHITENOISE_KEEP_ONLY_HASHED_FILES = True

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF],
        "media-src": [SELF],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
        "object-src": [NONE],
    }
}
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CONTENT_TYPE_NOSNIFF = True
X_FRAME_OPTIONS = "DENY"
CSRF_COOKIE_SAMESITE = "Strict"
CSRF_COOKIE_HTTPONLY = False

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_TZ = True
USE_I18N = False

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "handlers": {"console": {"class": "logging.StreamHandler"}},
    "root": {"handlers": ["console"], "level": "WARNING"},
    "loggers": {
        # Django would log a traceback for each address that cannot be read,
        "django.request": {"level": "ERROR"},
        # and waitress a line for each moment in which all workers are busy.
        "waitress.queue": {"level": "ERROR"},
    },
}
