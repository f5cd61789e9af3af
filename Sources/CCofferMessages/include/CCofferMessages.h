/* Made by Protos/generate: do not edit. */
#include "coffer/v1/channel.pb-c.h"
#include "coffer/v1/container.pb-c.h"
#include "coffer/v1/fetch.pb-c.h"
#include "coffer/v1/migration.pb-c.h"
#include "coffer/v1/model.pb-c.h"
#include "coffer/v1/save.pb-c.h"
#include "coffer/v1/storage.pb-c.h"
#include "coffer/v1/values.pb-c.h"
